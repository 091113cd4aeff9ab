import { RequestValidationError } from '@quittance/contracts/errors'
import { createTaxRate as contract } from '@quittance/contracts/taxes'
import { chosenOrganization } from '@quittance/runtime/chosen-organization'
import { command } from '@quittance/runtime/handler'
import { partsPerMillion, TaxRate } from './tax-rate.ts'
import { taxRateView } from './tax-rate-view.ts'

/** Whoever sets a rate for the same place waits until this transaction ends, and then sees what it did. */
const claim = `select pg_advisory_xact_lock(hashtextextended(:place, 0))`

export const createTaxRate = command(contract, async (request, { em, caller, read, rows }) => {
  const organizationId = chosenOrganization(caller, request.organization_id)
  const { country, name } = request
  const state = request.state ?? null
  await rows('tax-rate.claim-place', claim, { place: `tax rate ${organizationId} ${country} ${state}` })
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
