import { minPriceAmount } from '@quittance/contracts/money'
import type { Product } from '@quittance/contracts/products'
import { nestedList, type View } from '@quittance/sql/view'
import { benefitsOfProduct, publicBenefitsOfProduct } from '../benefits/benefit-view.ts'

/** Columns of a price; `pp` is the price, `pr` its product. A custom price without a minimum shows the one that applies: clients expect a number. */
export const priceColumns = `pp.id, pp.created_at, pp.modified_at, pp.is_archived, 'catalog' as source, pp.product_id, pp.amount_type, pp.price_amount, pp.price_currency,
  case when pp.amount_type = 'custom' then coalesce(pp.minimum_amount, ${minPriceAmount}) end as minimum_amount, pp.maximum_amount, pp.preset_amount, pp.tax_behavior,
  case when pr.recurring_interval is null then 'one_time' else 'recurring' end as type, pr.recurring_interval`

const fields = `pr.id, pr.created_at, pr.modified_at, pr.name, pr.description, pr.recurring_interval,
  case when pr.recurring_interval is not null then 1 end as recurring_interval_count, pr.trial_interval, pr.trial_interval_count, pr.trial_without_payment_method,
  'public' as visibility, null as meter_interval, null as meter_interval_count, pr.recurring_interval is not null as is_recurring, pr.is_archived, pr.organization_id`

const prices = nestedList(
  priceColumns,
  `product_prices pp where pp.product_id = pr.id and not pp.is_archived order by pp.created_at, pp.id`,
)

/** Columns of a product inside an order or a discount; `pr` is the product. */
export const productSummaryColumns = `${fields}, pr.metadata`

/** Columns of a product on a checkout page; `pr` is the product. */
export const checkoutProductColumns = `${fields}, ${prices} as prices, ${publicBenefitsOfProduct} as benefits, '[]'::json as medias`

export const productView: View<Product> = {
  name: 'product',
  organization: 'pr.organization_id',
  from: 'products pr',
  references: { pp: { table: 'product_prices', foreignKey: 'pr.id', key: 'product_id', condition: 'not pp.is_archived' } },
  key: 'pr.id',
  counter: { list: 'products', time: 'pr.created_at' },
  columns: `${fields}, pr.metadata, ${prices} as prices, ${benefitsOfProduct} as benefits,
    '[]'::json as medias, '[]'::json as attached_custom_fields`,
}
