import { migration } from '@quittance/runtime/schema'

/** A product has one price at any time; earlier prices are archived for the orders that used them. */
export const keepOnePrice = migration('20261121040000-keep-one-price', [
  `create unique index product_prices_one_current on product_prices (product_id) where not is_archived`,
])
