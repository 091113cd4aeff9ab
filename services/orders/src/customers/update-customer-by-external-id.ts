import { updateCustomerByExternalId as contract } from '@quittance/contracts/customers'
import { command } from '@quittance/runtime/handler'
import { changeCustomer } from './change-customer.ts'
import { demandByExternalId } from './find-customer.ts'

export const updateCustomerByExternalId = command(contract, async ({ external_id, ...change }, context) => {
  const { id } = await demandByExternalId(context.read, external_id)
  return changeCustomer({ id, ...change }, context)
})
