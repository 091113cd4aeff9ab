import { LockMode } from '@mikro-orm/core'
import type { Transaction } from '@quittance/runtime/handler'
import { defaultDunning } from '../organizations/dunning.ts'
import { loadClock } from '../organizations/organization.ts'
import { Order } from '../orders/order.ts'
import { payOrder } from '../orders/place-order.ts'
import { PaymentSetup } from '../payment-setups/payment-setup.ts'
import type { SettledSetup } from '../payment-setups/settle-setup.ts'
import { beginPaidPeriod } from '../subscriptions/paid-periods.ts'
import { publishSubscriptionChange } from '../subscriptions/publish-subscription-change.ts'
import { Subscription } from '../subscriptions/subscription.ts'
import { upgradeSubscription } from '../subscriptions/upgrade-subscription.ts'
import { Checkout } from './checkout.ts'
import { toSubscriptionUpgrade } from './checkout-order-draft.ts'
import { failCheckout, reopenAfterDecline } from './settle-checkout-payment.ts'
import { publishCheckoutUpdated } from './update-checkout.ts'

/** A trial that has not begun is not used up. */
const release = `
  delete from trial_redemptions where organization_id = any (:scope_organizations) and subscription_id in (
    select s.id from orders o join subscriptions s on s.id = o.subscription_id
    where o.checkout_id = :checkout_id and s.started_at is null and o.organization_id = any (:scope_organizations))`

/**
 * Starts what costs nothing at first, once the payment method of its checkout is stored: a trial, a free first period, or the free period of
 * an upgrade. Its order of 0 is then paid. Without a method the buyer can try again, and the trial is not used up. A result that is late,
 * after the buyer tried again, changes nothing.
 */
export async function settleCheckoutSetup(context: Transaction, settled: SettledSetup): Promise<void> {
  const { em } = context
  const { setup } = settled
  if (!setup.checkoutId) return
  const checkout = await em.findOneOrFail(Checkout, setup.checkoutId)
  const isLate = (await em.count(PaymentSetup, { checkoutId: checkout.id, createdAt: { $gt: setup.createdAt } })) > 0
  if (checkout.status !== 'confirmed' || isLate) return
  await (checkout.subscriptionId ? settleUpgrade(checkout, settled, context) : settleStart(checkout, settled, context))
  await publishCheckoutUpdated(checkout, context)
}

/** A declined upgrade leaves the subscription unchanged, and so does one of a subscription that has ended or was upgraded since. */
async function settleUpgrade(checkout: Checkout, { setup, isStored }: SettledSetup, context: Transaction): Promise<void> {
  const { em } = context
  if (!isStored) return reopenAfterDecline(checkout, { context })
  const upgraded = await em.findOneOrFail(Subscription, checkout.subscriptionId as string, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (!upgraded.isUpgradable()) return failCheckout(checkout, em)
  const source = { paymentToken: null, paymentMethodId: setup.paymentMethodId ?? null }
  const order = await lockCheckoutOrder(checkout, em)
  await upgradeSubscription(context, { upgrade: toSubscriptionUpgrade(checkout, source), order })
  await complete(checkout, { order, context })
}

async function settleStart(checkout: Checkout, { setup, isStored }: SettledSetup, context: Transaction): Promise<void> {
  const { em, sql } = context
  const incomplete = { checkoutId: checkout.id, status: 'incomplete' } as const
  const subscription = await em.findOne(Subscription, incomplete, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (!isStored || !subscription) await sql('trial.release', release, { checkout_id: checkout.id })
  if (!subscription) return failCheckout(checkout, em)
  const before = subscription.snapshot()
  const clock = await loadClock(context, checkout.organizationId)
  if (isStored) {
    subscription.paymentMethodId = setup.paymentMethodId ?? null
    if (subscription.trialEnd) subscription.startTrial(clock)
    else {
      beginPaidPeriod(subscription, clock)
      subscription.markPaid(clock)
    }
  } else subscription.markPaymentFailed(clock, { dunning: defaultDunning })
  await publishSubscriptionChange(context, subscription, before)
  if (!isStored) return reopenAfterDecline(checkout, { context })
  const order = await lockCheckoutOrder(checkout, em)
  order.setPeriod({ start: subscription.currentPeriodStart, end: subscription.currentPeriodEnd })
  await complete(checkout, { order, context })
}

function lockCheckoutOrder({ id: checkoutId }: Checkout, em: Transaction['em']): Promise<Order> {
  return em.findOneOrFail(Order, { checkoutId }, { lockMode: LockMode.PESSIMISTIC_WRITE })
}

async function complete(checkout: Checkout, { order, context }: { order: Order; context: Transaction }): Promise<void> {
  await payOrder(context, order)
  checkout.succeed()
}
