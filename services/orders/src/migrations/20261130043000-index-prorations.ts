import { migration } from '@quittance/runtime/schema'

/** For what an order billed, when it is undone, and for what was added since a preview. */
export const indexProrations = migration('20261130043000-index-prorations', [
  `create index if not exists prorations_by_subscription on prorations (subscription_id, created_at)`,
])
