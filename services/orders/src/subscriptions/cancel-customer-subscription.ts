import { cancelCustomerSubscription as contract } from '@quittance/contracts/customer-portal'
import { command } from '@quittance/runtime/handler'
import { changeSubscription } from './change-subscription.ts'
import { customerSubscriptionView } from './subscription-view.ts'

export const cancelCustomerSubscription = command(contract, async ({ id }, context) => {
  await changeSubscription(id, context, (subscription, clock) => subscription.cancel(clock.now, {}))
  return context.read.one(customerSubscriptionView, { where: 's.id = :id', values: { id } })
})
