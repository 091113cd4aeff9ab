import { getTaxRate as contract } from '@quittance/contracts/taxes'
import { query } from '@quittance/runtime/handler'
import { taxRateView } from './tax-rate-view.ts'

export const getTaxRate = query(contract, ({ id }, { read }) => read.one(taxRateView, { where: 't.id = :id', values: { id } }))
