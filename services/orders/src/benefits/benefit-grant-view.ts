import type { BenefitGrant, BenefitGrantWebhook } from '@quittance/contracts/benefit-grants'
import type { CustomerBenefitGrant } from '@quittance/contracts/customer-portal'
import { nested, type View } from '@quittance/runtime/view'
import { benefitColumns, benefitPublicColumns } from './benefit-view.ts'
import { customerColumns, portalCustomerColumns } from '../customers/customer-view.ts'

const fields = `g.id, g.created_at, g.modified_at, g.granted_at, g.granted_at is not null as is_granted,
  g.revoked_at, g.revoked_at is not null as is_revoked, g.subscription_id, g.order_id, g.customer_id, g.benefit_id, g.properties`

const columns = `${fields}, g.customer_id as user_id, null as error,
  ${nested(customerColumns, 'customers c where c.id = g.customer_id')} as customer`

const bound = { organization: 'g.organization_id', customer: 'g.customer_id', key: 'g.id' }

export const benefitGrantView: View<BenefitGrant> = { name: 'benefit-grant', ...bound, from: 'benefit_grants g', columns }

/** A grant as its events tell it. */
export const benefitGrantWebhookView: View<BenefitGrantWebhook> = {
  name: 'benefit-grant-webhook',
  ...bound,
  from: 'benefit_grants g',
  columns: `${columns}, ${nested(benefitColumns, 'benefits b where b.id = g.benefit_id')} as benefit, null as previous_properties`,
}

const benefitOfSeller = `${benefitPublicColumns}, b.metadata, b.properties, s.document as organization`

/** What a customer has. What they lost is not shown, and neither is what was deleted while the revocation is on its way. */
export const customerBenefitGrantView: View<CustomerBenefitGrant> = {
  name: 'customer-benefit-grant',
  ...bound,
  from: `(select * from benefit_grants where revoked_at is null) g
    join benefits b on b.id = g.benefit_id and b.deleted_at is null
    join organizations s on s.id = g.organization_id
    left join orders o on o.id = g.order_id`,
  columns: `${fields}, ${nested(portalCustomerColumns, 'customers c where c.id = g.customer_id')} as customer,
    ${nested(benefitOfSeller)} as benefit`,
}
