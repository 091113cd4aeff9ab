import type { Transaction } from '@quittance/runtime/handler'
import { Discount } from '../catalog/discounts/discount.ts'
import { redeemDiscount } from '../catalog/discounts/redeem-discount.ts'
import { ProductPrice } from '../catalog/products/product.ts'
import type { Order } from '../orders/order.ts'
import { OrderItem } from '../orders/order-item.ts'
import type { SettledPayment } from '../payments/after-payment-settled.ts'
import { PaymentSetup } from '../payment-setups/payment-setup.ts'
import { Payment } from '../payments/payment.ts'
import { computeAdvertisedPrice } from '../pricing/order-amounts.ts'
import { upgradeSubscription } from '../subscriptions/upgrade-subscription.ts'
import { Checkout } from './checkout.ts'
import { toSubscriptionUpgrade } from './checkout-order-draft.ts'
import { publishCheckoutUpdated } from './update-checkout.ts'

/** Upgrades the free subscription of a paid checkout. A declined upgrade leaves the subscription unchanged. */
export async function settleUpgradePayment(context: Transaction, { order, payment, isPaid }: SettledPayment): Promise<void> {
  if (!isPaid || !order.isUpgrade()) return
  const checkout = await restorePaidCheckout(order, context)
  const source = { paymentToken: payment.confirmationToken || null, paymentMethodId: payment.paymentMethodId ?? null }
  await upgradeSubscription(context, { upgrade: toSubscriptionUpgrade(checkout, source), order })
}

/** Declines after which a checkout ends: it is not a place to test cards. */
const maxCheckoutDeclines = 10

/**
 * Completes the checkout of a paid order. After a decline, the buyer can try again, and the redemption of the discount is released. An order
 * that was invoiced before its payment keeps what its invoice names, so its checkout ends.
 */
export async function settleCheckoutPayment(context: Transaction, { order, payment, isPaid }: SettledPayment): Promise<void> {
  if (!payment.checkoutId) return
  const checkout = isPaid ? await restorePaidCheckout(order, context) : await context.em.findOneOrFail(Checkout, payment.checkoutId)
  if (isPaid) checkout.succeed()
  else await reopenAfterDecline(checkout, { context, isInvoiced: Boolean(order.invoiceRequestedAt) })
  await publishCheckoutUpdated(checkout, context)
}

/**
 * Returns the checkout of a paid order, confirmed with what the order sold. Since a decline the buyer may have chosen something else, but late
 * money pays for the order. The decline released the redemption of its discount, which counts again; if others took the last one, the order
 * keeps its discount.
 */
async function restorePaidCheckout(order: Order, context: Transaction): Promise<Checkout> {
  const { em } = context
  const checkout = await em.findOneOrFail(Checkout, order.checkoutId as string)
  if (checkout.status === 'confirmed') return checkout
  const item = await em.findOneOrFail(OrderItem, { orderId: order.id })
  const price = await em.findOneOrFail(ProductPrice, item.productPriceId as string)
  checkout.restorePurchase(order, {
    price,
    priceAmount: price.amountType === 'custom' ? computeAdvertisedPrice(order) : price.amountFor(null),
  })
  if (order.discountId) await redeemDiscount(context, await em.findOneOrFail(Discount, order.discountId))
  return checkout
}

/** Lets the buyer try again, unless several attempts were declined or the order was invoiced. Releases what the confirmation reserved. */
export async function reopenAfterDecline(
  checkout: Checkout,
  { context: { em, now }, isInvoiced = false }: { context: Transaction; isInvoiced?: boolean },
): Promise<void> {
  const declined = { checkoutId: checkout.id, failureReason: 'declined' } as const
  const declines = (await em.count(Payment, declined)) + (await em.count(PaymentSetup, declined))
  if (declines >= maxCheckoutDeclines || isInvoiced) return failCheckout(checkout, em)
  checkout.reopen(now)
  await releaseReserved(checkout, em)
}

/**
 * Ends the checkout of a payment that is returned, because its subscription has ended since: no later step would. One that is paid in
 * another way waits for that.
 */
export async function failReturnedCheckout(context: Transaction, { payment }: { payment: Payment }): Promise<void> {
  const { em } = context
  const { id, orderId, checkoutId } = payment
  if (!checkoutId) return
  const checkout = await em.findOneOrFail(Checkout, checkoutId)
  if (checkout.status !== 'confirmed') return
  const payments = await em.count(Payment, { orderId, id: { $ne: id }, $or: [{ settledAt: null }, { appliedAt: { $ne: null } }] })
  const setups = await em.count(PaymentSetup, { checkoutId, settledAt: null })
  if (payments + setups > 0) return
  await failCheckout(checkout, em)
  await publishCheckoutUpdated(checkout, context)
}

/** Ends a checkout that nothing pays any more. Releases what its confirmation reserved. */
export async function failCheckout(checkout: Checkout, em: Transaction['em']): Promise<void> {
  checkout.fail()
  await releaseReserved(checkout, em)
}

/** Releases what the confirmation reserved: the trial, and the redemption of the discount. */
async function releaseReserved(checkout: Checkout, em: Transaction['em']): Promise<void> {
  checkout.trialEnd = null
  const discount = checkout.discountId ? await em.findOneOrFail(Discount, checkout.discountId) : null
  discount?.releaseRedemption()
}
