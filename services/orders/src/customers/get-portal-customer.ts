import { getPortalCustomer as contract } from '@quittance/contracts/customer-portal'
import { query } from '@quittance/runtime/handler'
import { portalCustomerView } from './customer-view.ts'
import { ownCustomer } from './own-customer.ts'

export const getPortalCustomer = query(contract, (_, { caller, read }) =>
  read.one(portalCustomerView, { where: 'c.id = :id', values: { id: ownCustomer(caller) } }),
)
