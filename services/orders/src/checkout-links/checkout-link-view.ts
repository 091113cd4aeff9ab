import type { CheckoutLink } from '@quittance/contracts/checkout-links'
import { nested, nestedList, type View } from '@quittance/sql/view'
import { discountSummaryColumns } from '../catalog/discounts/discount-view.ts'
import { checkoutProductColumns } from '../catalog/products/product-view.ts'
import { pagesUrl } from '../config.ts'

const products = nestedList(
  `${checkoutProductColumns}, pr.metadata`,
  `unnest(cl.product_ids) with ordinality as chosen (id, position) join products pr on pr.id = chosen.id order by chosen.position`,
)

/** A link to buy for its seller. A discount that was deleted is not shown: it is not applied either. */
export const checkoutLinkView: View<CheckoutLink> = {
  name: 'checkout-link',
  organization: 'cl.organization_id',
  from: '(select * from checkout_links where deleted_at is null) cl',
  lookupJoins: 'left join discounts d on d.id = cl.discount_id and d.deleted_at is null',
  key: 'cl.id',
  get columns() {
    return `cl.id, cl.created_at, cl.modified_at, cl.metadata, 'stripe' as payment_processor, cl.client_secret, cl.success_url, null as return_url,
      cl.label, null as seats, null as trial_interval, null as trial_interval_count, cl.allow_discount_codes, cl.require_billing_address, d.id as discount_id, cl.organization_id, ${products} as products,
      case when d.id is not null then ${nested(discountSummaryColumns)} end as discount,
      '${pagesUrl().replaceAll("'", "''")}/buy/' || cl.client_secret as url`
  },
}
