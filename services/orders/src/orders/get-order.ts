import { getOrder as contract } from '@quittance/contracts/orders'
import { query } from '@quittance/runtime/handler'
import { orderView } from './order-view.ts'

export const getOrder = query(contract, ({ id }, { read }) => read.one(orderView, { where: 'o.id = :id', values: { id } }))
