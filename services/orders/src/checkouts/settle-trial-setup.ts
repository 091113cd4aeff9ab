import { LockMode } from '@mikro-orm/core'
import type { Transaction } from '@quittance/runtime/handler'
import { defaultDunning } from '../organizations/dunning.ts'
import { loadClock } from '../organizations/organization.ts'
import { Order } from '../orders/order.ts'
import { payOrder } from '../orders/place-order.ts'
import { PaymentSetup } from '../payment-setups/payment-setup.ts'
import type { SettledSetup } from '../payment-setups/settle-setup.ts'
import { publishSubscriptionChange } from '../subscriptions/publish-subscription-change.ts'
import { Subscription } from '../subscriptions/subscription.ts'
import { Checkout } from './checkout.ts'
import { failCheckout, reopenAfterDecline } from './settle-checkout-payment.ts'
import { publishCheckoutUpdated } from './update-checkout.ts'

/** A trial that has not begun is not used up. */
const release = `
  delete from trial_redemptions where organization_id = any (:scope_organizations) and subscription_id in (
    select id from subscriptions where checkout_id = :checkout_id and started_at is null and organization_id = any (:scope_organizations))`

/**
 * Starts the trial, or the first period that costs nothing, once the payment method of a checkout is stored; its order of 0 is then paid.
 * Without one the buyer can try again, and the trial is not used up. A result that is late, after the buyer tried again, changes nothing.
 */
export async function settleTrialSetup(context: Transaction, { setup, isStored }: SettledSetup): Promise<void> {
  const { em, sql } = context
  if (!setup.checkoutId) return
  const checkout = await em.findOneOrFail(Checkout, setup.checkoutId)
  const isLate = (await em.count(PaymentSetup, { checkoutId: checkout.id, createdAt: { $gt: setup.createdAt } })) > 0
  if (checkout.status !== 'confirmed' || isLate) return
  const subscription = await em.findOne(
    Subscription,
    { checkoutId: checkout.id, status: 'incomplete' },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  )
  if (!isStored || !subscription) await sql('trial.release', release, { checkout_id: checkout.id })
  if (!subscription) await failCheckout(checkout, em)
  else {
    const before = subscription.snapshot()
    const clock = await loadClock(context, checkout.organizationId)
    if (isStored) {
      subscription.paymentMethodId = setup.paymentMethodId ?? null
      if (subscription.trialEnd) subscription.startTrial(clock)
      else subscription.markPaid(clock)
    } else subscription.markPaymentFailed(clock, { dunning: defaultDunning })
    await publishSubscriptionChange(context, subscription, before)
    if (isStored) {
      await payOrder(context, await em.findOneOrFail(Order, { checkoutId: checkout.id }, { lockMode: LockMode.PESSIMISTIC_WRITE }))
      checkout.succeed()
    } else await reopenAfterDecline(checkout, { context })
  }
  await publishCheckoutUpdated(checkout, context)
}
