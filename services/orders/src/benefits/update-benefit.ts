import { benefitUpdated, updateBenefit as contract } from '@quittance/contracts/benefits'
import { command } from '@quittance/runtime/handler'
import { Benefit } from './benefit.ts'
import { benefitView } from './benefit-view.ts'

export const updateBenefit = command(contract, async ({ id, ...change }, { em, read, publish }) => {
  const benefit = await em.findOneOrFail(Benefit, { id, deletedAt: null })
  benefit.change(change)
  const view = await read.one(benefitView, { where: 'b.id = :id', values: { id } })
  publish({ event: benefitUpdated, aggregateId: id, organizationId: benefit.organizationId, payload: view })
  return view
})
