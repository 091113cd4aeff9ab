import { getCustomerState as contract } from '@quittance/contracts/customer-state'
import { query } from '@quittance/runtime/handler'
import { customerStateView } from './customer-state-view.ts'

export const getCustomerState = query(contract, ({ id }, { read }) => read.one(customerStateView, { where: 'c.id = :id', values: { id } }))
