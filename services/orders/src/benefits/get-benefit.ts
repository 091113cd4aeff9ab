import { getBenefit as contract } from '@quittance/contracts/benefits'
import { query } from '@quittance/runtime/handler'
import { benefitView } from './benefit-view.ts'

export const getBenefit = query(contract, ({ id }, { read }) => read.one(benefitView, { where: 'b.id = :id', values: { id } }))
