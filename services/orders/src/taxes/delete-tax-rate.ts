import { deleteTaxRate as contract } from '@quittance/contracts/taxes'
import { command } from '@quittance/runtime/handler'
import { TaxRate } from './tax-rate.ts'

export const deleteTaxRate = command(contract, async ({ id }, { em }) => {
  em.remove(await em.findOneOrFail(TaxRate, id))
  return null
})
