import type { Discount } from '@quittance/contracts/discounts'
import { nestedList, type View } from '@quittance/sql/view'
import { productSummaryColumns } from '../products/product-view.ts'

/** Columns of a discount on a checkout page; `d` is the discount. */
export const checkoutDiscountColumns = `d.id, d.name, d.code, d.type, d.duration, d.duration_in_months, d.amount,
  case when d.type = 'fixed' then json_build_object(d.currency, d.amount) end as amounts, d.currency, d.basis_points`

/** Columns of a discount inside an order; `d` is the discount. */
export const discountSummaryColumns = `${checkoutDiscountColumns}, d.created_at, d.modified_at, d.metadata, d.starts_at, d.ends_at,
  d.max_redemptions, d.redemptions_count, d.organization_id`

const products = nestedList(productSummaryColumns, 'products pr where pr.id = any(d.product_ids) order by pr.created_at, pr.id')

export const discountView: View<Discount> = {
  name: 'discount',
  organization: 'd.organization_id',
  from: '(select * from discounts where deleted_at is null) d',
  key: 'd.id',
  counter: { list: 'discounts', time: 'd.created_at' },
  columns: `${discountSummaryColumns}, ${products} as products`,
}
