import { getCustomerSubscription as contract } from '@quittance/contracts/customer-portal'
import { query } from '@quittance/runtime/handler'
import { customerSubscriptionView } from './subscription-view.ts'

export const getCustomerSubscription = query(contract, ({ id }, { read }) =>
  read.one(customerSubscriptionView, { where: 's.id = :id', values: { id } }),
)
