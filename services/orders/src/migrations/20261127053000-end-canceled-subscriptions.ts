import { migration } from '@quittance/runtime/schema'

/** Finds subscriptions that are canceled and have no due date, because a payment has no result. */
export const endCanceledSubscriptions = migration('20261127053000-end-canceled-subscriptions', [
  `create index subscriptions_to_end on subscriptions (ends_at) where cancel_at_period_end and due_at is null and ended_at is null`,
])
