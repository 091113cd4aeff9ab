import { listCustomerBenefitGrants as contract } from '@quittance/contracts/customer-portal'
import { query } from '@quittance/runtime/handler'
import { asList, orderBy, whereGiven } from '@quittance/runtime/list'
import { customerBenefitGrantView } from './benefit-grant-view.ts'

const columns = { granted_at: 'g.granted_at', type: 'b.type', organization: 's.name' }

export const listCustomerBenefitGrants = query(contract, (request, { read }) =>
  read.page(customerBenefitGrantView, {
    ...whereGiven({
      type: { sql: 'b.type = any(:type)', value: asList(request.type) },
      benefit_id: { sql: 'g.benefit_id = any(:benefit_id)', value: asList(request.benefit_id) },
      organization_id: { sql: 'g.organization_id = any(:organization_id)', value: asList(request.organization_id) },
      checkout_id: { sql: 'o.checkout_id = any(:checkout_id)', value: asList(request.checkout_id) },
      order_id: { sql: 'g.order_id = any(:order_id)', value: asList(request.order_id) },
      subscription_id: { sql: 'g.subscription_id = any(:subscription_id)', value: asList(request.subscription_id) },
    }),
    orderBy: orderBy(columns, { sorting: request.sorting, ties: ['g.granted_at', 'g.id'] }),
    page: request.page,
    limit: request.limit,
  }),
)
