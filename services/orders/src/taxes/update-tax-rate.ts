import { updateTaxRate as contract } from '@quittance/contracts/taxes'
import { command } from '@quittance/runtime/handler'
import { partsPerMillion, TaxRate } from './tax-rate.ts'
import { taxRateView } from './tax-rate-view.ts'

export const updateTaxRate = command(contract, async ({ id, name, percentage, reverse_charge }, { em, read }) => {
  const rate = await em.findOneOrFail(TaxRate, id)
  if (name) rate.name = name
  if (typeof percentage === 'number') rate.partsPerMillion = partsPerMillion(percentage)
  if (typeof reverse_charge === 'boolean') rate.reverseCharge = reverse_charge
  await em.flush()
  return read.one(taxRateView, { where: 't.id = :id', values: { id } })
})
