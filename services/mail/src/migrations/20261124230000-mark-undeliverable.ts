import { migration } from '@quittance/runtime/schema'

/**
 * Addresses that their mail server rejects. The release before neither reads nor writes the columns; after it has changed an address, the
 * mark of the earlier one stays until the next mail that is always sent.
 */
export const markUndeliverable = migration('20261124230000-mark-undeliverable', [
  `alter table customers
    add column rejected_on date,
    add column undeliverable_since timestamptz,
    add constraint customers_undeliverable_after_rejection check (undeliverable_since is null or rejected_on is not null)`,
])
