import {
  getCustomerBenefitGrant as getCustomerBenefitGrantContract,
  listCustomerBenefitGrants as listCustomerBenefitGrantsContract,
  type CustomerBenefitGrant,
} from '@quittance/contracts/customer-benefit-grants'
import { query } from '@quittance/runtime/handler'
import { toArray, buildSortOrder, buildWhere } from '@quittance/sql/list-query'
import { nested, type View } from '@quittance/sql/view'
import { benefitPublicColumns } from '../catalog/benefits/benefit-view.ts'
import { grantBuyer, portalBuyerColumns } from '../customers/buyer-view.ts'
import { grantColumns, scopedGrants } from '../entitlements/benefit-grant-view.ts'

const benefitOfSeller = `${benefitPublicColumns}, b.metadata, b.properties, s.document as organization`

/** Active grants of a customer. Excludes revoked grants and grants of deleted benefits, even while their revocation is pending. */
const customerBenefitGrantView: View<CustomerBenefitGrant> = {
  name: 'customer-benefit-grant',
  ...scopedGrants,
  from: `(select * from benefit_grants where revoked_at is null) g
    join benefits b on b.id = g.benefit_id and b.deleted_at is null
    join organizations s on s.id = g.organization_id`,
  columns: `${grantColumns}, ${nested(...grantBuyer({ grant: 'g.id', customer: 'g.customer_id' }, portalBuyerColumns))} as customer,
    ${nested(benefitOfSeller)} as benefit`,
}

export const getCustomerBenefitGrant = query(getCustomerBenefitGrantContract, ({ id }, { read }) =>
  read.one(customerBenefitGrantView, { where: 'g.id = :id', values: { id } }),
)

/** A later order of a subscription may have another checkout, or none. */
const isOfCheckout = `exists (
  select from orders x where x.checkout_id = any(:checkout_id) and (x.id = g.order_id or x.subscription_id = g.subscription_id))`

const columns = { granted_at: 'g.granted_at', type: 'b.type', organization: 's.name' }

export const listCustomerBenefitGrants = query(listCustomerBenefitGrantsContract, (request, { read }) =>
  read.page(customerBenefitGrantView, {
    ...buildWhere({
      type: { sql: 'b.type = any(:type)', value: toArray(request.type) },
      benefit_id: { sql: 'g.benefit_id = any(:benefit_id)', value: toArray(request.benefit_id) },
      organization_id: { sql: 'g.organization_id = any(:organization_id)', value: toArray(request.organization_id) },
      checkout_id: { sql: isOfCheckout, value: toArray(request.checkout_id) },
      order_id: { sql: 'g.order_id = any(:order_id)', value: toArray(request.order_id) },
      subscription_id: { sql: 'g.subscription_id = any(:subscription_id)', value: toArray(request.subscription_id) },
    }),
    orderBy: buildSortOrder(columns, { sorting: request.sorting, tieBreakers: ['g.granted_at', 'g.id'] }),
    page: request.page,
    limit: request.limit,
  }),
)
