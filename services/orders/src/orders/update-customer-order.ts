import { updateCustomerOrder as contract } from '@quittance/contracts/customer-portal'
import { command } from '@quittance/runtime/handler'
import { changeBillingDetails } from './change-billing-details.ts'
import { customerOrderView } from './order-view.ts'

export const updateCustomerOrder = command(contract, async (change, context) => {
  await changeBillingDetails(change, context)
  return context.read.one(customerOrderView, { where: 'o.id = :id', values: { id: change.id } })
})
