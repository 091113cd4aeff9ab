import { getCustomer as contract } from '@quittance/contracts/customers'
import { query } from '@quittance/runtime/handler'
import { customerView } from './customer-view.ts'

export const getCustomer = query(contract, ({ id }, { read }) => read.one(customerView, { where: 'c.id = :id', values: { id } }))
