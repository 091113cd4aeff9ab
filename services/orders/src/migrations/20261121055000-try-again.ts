import { migration } from '@quittance/runtime/schema'

/** A checkout whose payment was declined can be confirmed again: the subscription that never started does not block another. */
export const tryAgain = migration('20261121055000-try-again', [
  `drop index subscriptions_by_checkout`,
  `create unique index subscriptions_by_checkout on subscriptions (checkout_id)
    where checkout_id is not null and status <> 'incomplete_expired'`,
])
