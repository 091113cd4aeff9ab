import { revokeSubscription as contract } from '@quittance/contracts/subscriptions'
import { command } from '@quittance/runtime/handler'
import { changeSubscription } from './change-subscription.ts'
import { subscriptionView } from './subscription-view.ts'

export const revokeSubscription = command(contract, async ({ id }, context) => {
  await changeSubscription(id, context, (subscription, clock) => subscription.revoke(clock.now))
  return context.read.one(subscriptionView, { where: 's.id = :id', values: { id } })
})
