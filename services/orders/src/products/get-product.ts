import { getProduct as contract } from '@quittance/contracts/products'
import { query } from '@quittance/runtime/handler'
import { productView } from './product-view.ts'

export const getProduct = query(contract, ({ id }, { read }) => read.one(productView, { where: 'pr.id = :id', values: { id } }))
