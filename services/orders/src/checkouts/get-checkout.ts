import { getCheckout as contract } from '@quittance/contracts/checkouts'
import { query } from '@quittance/runtime/handler'
import { checkoutView } from './checkout-view.ts'

export const getCheckout = query(contract, ({ id }, { read }) => read.one(checkoutView, { where: 'ch.id = :id', values: { id } }))
