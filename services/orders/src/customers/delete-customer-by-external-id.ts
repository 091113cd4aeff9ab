import { deleteCustomerByExternalId as contract } from '@quittance/contracts/customers'
import { command } from '@quittance/runtime/handler'
import { demandByExternalId } from './find-customer.ts'
import { removeCustomer } from './remove-customer.ts'

export const deleteCustomerByExternalId = command(contract, async ({ external_id }, context) => {
  const { id } = await demandByExternalId(context.read, external_id)
  return removeCustomer(id, context)
})
