import { RequestValidationError } from '@quittance/contracts/errors'
import {
  createTaxRate as createTaxRateContract,
  updateTaxRate as updateTaxRateContract,
  deleteTaxRate as deleteTaxRateContract,
} from '@quittance/contracts/taxes'
import { resolveOrganization } from '@quittance/runtime/resolve-organization'
import { command } from '@quittance/runtime/handler'
import { partsPerMillion, TaxRate, taxRateView } from './tax-rate.ts'

export const createTaxRate = command(createTaxRateContract, async (request, { em, caller, read, lockNames }) => {
  const organizationId = resolveOrganization(caller, request.organization_id)
  const { country, name } = request
  const state = request.state ?? null
  await lockNames([`tax rate ${organizationId} ${country} ${state}`])
  if ((await em.count(TaxRate, { organizationId, country, state })) > 0) {
    throw RequestValidationError.field([state ? 'state' : 'country'], 'A tax rate for this country or state already exists.')
  }
  const rate = em.create(TaxRate, {
    organizationId,
    country,
    state,
    name,
    partsPerMillion: partsPerMillion(request.percentage),
    reverseCharge: request.reverse_charge,
  })
  await em.flush()
  return read.one(taxRateView, { where: 't.id = :id', values: { id: rate.id } })
})

export const updateTaxRate = command(updateTaxRateContract, async ({ id, name, percentage, reverse_charge }, { em, read }) => {
  const rate = await em.findOneOrFail(TaxRate, id)
  if (name) rate.name = name
  if (typeof percentage === 'number') rate.partsPerMillion = partsPerMillion(percentage)
  if (typeof reverse_charge === 'boolean') rate.reverseCharge = reverse_charge
  await em.flush()
  return read.one(taxRateView, { where: 't.id = :id', values: { id } })
})

export const deleteTaxRate = command(deleteTaxRateContract, async ({ id }, { em }) => {
  em.remove(await em.findOneOrFail(TaxRate, id))
  return null
})
