import { getDiscount as contract } from '@quittance/contracts/discounts'
import { query } from '@quittance/runtime/handler'
import { discountView } from './discount-view.ts'

export const getDiscount = query(contract, ({ id }, { read }) => read.one(discountView, { where: 'd.id = :id', values: { id } }))
