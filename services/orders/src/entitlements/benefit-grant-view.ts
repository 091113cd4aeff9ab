import type { BenefitGrant, BenefitGrantWebhook } from '@quittance/contracts/benefit-grants'
import { nested, type View } from '@quittance/sql/view'
import { benefitColumns } from '../catalog/benefits/benefit-view.ts'
import { customerColumns } from '../customers/customer-view.ts'

/** Columns of a grant; `g` is the grant. */
export const grantColumns = `g.id, g.created_at, g.modified_at, g.granted_at, g.granted_at is not null as is_granted,
  g.revoked_at, g.revoked_at is not null as is_revoked, g.subscription_id, g.order_id, g.customer_id, g.benefit_id, g.properties`

const columns = `${grantColumns}, g.customer_id as user_id, null as error,
  ${nested(customerColumns, 'customers c where c.id = g.customer_id')} as customer,
  ${nested(benefitColumns, 'benefits b where b.id = g.benefit_id')} as benefit`

/** Scope of the views of a grant. */
export const scopedGrants = {
  organization: 'g.organization_id',
  customer: 'g.customer_id',
  checkout: `exists (select from orders x where x.checkout_id = :checkout and (x.id = g.order_id or x.subscription_id = g.subscription_id))`,
  key: 'g.id',
}

export const benefitGrantView: View<BenefitGrant> = { name: 'benefit-grant', ...scopedGrants, from: 'benefit_grants g', columns }

/** A grant in its webhook events. */
export const benefitGrantWebhookView: View<BenefitGrantWebhook> = {
  name: 'benefit-grant-webhook',
  ...scopedGrants,
  from: 'benefit_grants g',
  columns: `${columns}, null as previous_properties`,
}
