import { migration } from '@quittance/runtime/schema'

/** Which network an anonymous declaration came from, for an hour. The release before neither reads nor writes it. */
export const limitDeclarations = migration('20261127083000-limit-declarations', [
  `alter table declarations add column network text check (length(network) between 1 and 64)`,
  `create index declarations_by_network on declarations (organization_id, network, created_at) where network is not null`,
  `create index declarations_with_network on declarations (created_at) where network is not null`,
])
