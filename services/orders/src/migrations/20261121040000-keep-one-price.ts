import { migration } from '@quittance/runtime/migration'

/** What a product costs is one price at any time; those before it are archived, for what was sold by them. */
export const keepOnePrice = migration('20261121040000-keep-one-price', [
  `create unique index product_prices_one_current on product_prices (product_id) where not is_archived`,
])
