import { getCustomerOrder as contract } from '@quittance/contracts/customer-portal'
import { query } from '@quittance/runtime/handler'
import { customerOrderView } from './order-view.ts'

export const getCustomerOrder = query(contract, ({ id }, { read }) => read.one(customerOrderView, { where: 'o.id = :id', values: { id } }))
