import { benefitCreated, createBenefit as contract } from '@quittance/contracts/benefits'
import { chosenOrganization } from '@quittance/runtime/chosen-organization'
import { command } from '@quittance/runtime/handler'
import { Benefit } from './benefit.ts'
import { benefitView } from './benefit-view.ts'
import { refuseBenefitType } from './refuse-benefit-type.ts'

export const createBenefit = command(contract, async (request, { em, caller, read, publish }) => {
  refuseBenefitType(request.type)
  const organizationId = chosenOrganization(caller, request.organization_id)
  const benefit = em.create(Benefit, {
    organizationId,
    type: request.type,
    description: request.description,
    selectable: true,
    deletable: true,
    properties: request.properties,
    metadata: request.metadata,
    deletedAt: null,
  })
  await em.flush()
  const view = await read.one(benefitView, { where: 'b.id = :id', values: { id: benefit.id } })
  publish({ event: benefitCreated, aggregateId: benefit.id, organizationId, payload: view })
  return view
})
