import { RequestValidationError } from '@quittance/contracts/errors'
import { createTaxRate as contract } from '@quittance/contracts/taxes'
import { chosenOrganization } from '@quittance/runtime/chosen-organization'
import { claimNames } from '@quittance/runtime/claim'
import { command } from '@quittance/runtime/handler'
import { partsPerMillion, TaxRate } from './tax-rate.ts'
import { taxRateView } from './tax-rate-view.ts'

export const createTaxRate = command(contract, async (request, { em, caller, read, rows }) => {
  const organizationId = chosenOrganization(caller, request.organization_id)
  const { country, name } = request
  const state = request.state ?? null
  await claimNames(rows, [`tax rate ${organizationId} ${country} ${state}`])
  if ((await em.count(TaxRate, { organizationId, country, state })) > 0) {
    throw RequestValidationError.field([state ? 'state' : 'country'], 'It has a tax rate already.')
  }
  const rate = em.create(TaxRate, {
    ...{ organizationId, country, state, name },
    partsPerMillion: partsPerMillion(request.percentage),
    reverseCharge: request.reverse_charge,
  })
  await em.flush()
  return read.one(taxRateView, { where: 't.id = :id', values: { id: rate.id } })
})
