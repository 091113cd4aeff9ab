import { migration } from '@quittance/runtime/schema'

/**
 * From when on an endpoint selects a type, for types that were selected after the registration. Types without an entry count from the registration,
 * as all did before; also those that a replica of the release before selects.
 */
export const recordSelections = migration('20261201160000-record-selections', [
  `alter table webhook_endpoints add column selected_since jsonb not null default '{}'`,
])
