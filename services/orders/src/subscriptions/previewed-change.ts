import { RequestValidationError } from '@quittance/contracts/errors'
import type { SubscriptionSettings } from '@quittance/contracts/organizations'
import type { ProrationBehavior } from '@quittance/contracts/subscription-changes'
import type { Transaction } from '@quittance/runtime/handler'
import { loadSubscriptionSettings, type OrganizationClock } from '../organizations/organization.ts'
import { ProductPrice } from '../catalog/products/product.ts'
import { TaxRate } from '../catalog/taxes/tax-rate.ts'
import { Customer } from '../customers/customer.ts'
import type { StartedRow } from '../payments/await-payment.ts'
import { callLeaseMs } from '../payments/calls-in-progress.ts'
import { Order } from '../orders/order.ts'
import { Payment } from '../payments/payment.ts'
import { changeSubscriptionProduct } from './change-subscription-product.ts'
import { Proration } from './prorations.ts'
import type { Subscription } from './subscription.ts'

const validMs = 15 * 60_000

/** Returns the clock as it was at another real time. */
export function setClockTo(clock: OrganizationClock, { at, now }: { at: Date; now: Date }): OrganizationClock {
  return { ...clock, now: new Date(clock.now.getTime() - now.getTime() + at.getTime()) }
}

/** A change of product, as the operations of the seller and of the portal take it. */
export interface RequestedChange {
  product_id: string
  /** That of the settings if it is not given. */
  proration_behavior?: ProrationBehavior | null | undefined
  /** Time of the preview that is confirmed. */
  previewed_at?: string | null | undefined
}

interface Applying {
  context: Transaction
  clock: OrganizationClock
  /** By a session of the whole customer. */
  isChosenByCustomer: boolean
  /** Throws if the seller does not allow the change. */
  assertAllowed?: (settings: SubscriptionSettings) => void
}

/**
 * Changes the product under the lock of the subscription, and returns the payment of a change that is charged at once. Throws
 * `RequestValidationError` if a confirmed preview no longer holds.
 */
export async function applyProductChange(
  subscription: Subscription,
  { product_id: productId, proration_behavior, previewed_at: previewedAt }: RequestedChange,
  { context, clock, isChosenByCustomer, assertAllowed }: Applying,
): Promise<StartedRow | null> {
  const settings = await loadSubscriptionSettings(context.sql, subscription.organizationId)
  assertAllowed?.(settings)
  const at = await findChangeClock(subscription, { clock, context, productId, previewedAt })
  const leasedUntil = new Date(context.now.getTime() + callLeaseMs)
  const order = await changeSubscriptionProduct(subscription, {
    productId,
    behavior: proration_behavior ?? settings.proration_behavior,
    context,
    clock: at,
    isChosenByCustomer,
    leasedUntil,
  })
  await context.em.flush()
  const payment = order && (await context.em.findOne(Payment, { orderId: order.id, settledAt: null }))
  return payment && { id: payment.id, organizationId: payment.organizationId, lease: leasedUntil.toISOString() }
}

interface Confirmed {
  clock: OrganizationClock
  context: Transaction
  productId: string
  /** Time of the preview that is confirmed, if one is. */
  previewedAt: string | null | undefined
}

/**
 * Returns the clock at which a change of product is computed: that of its preview, so that what was shown is billed. Throws
 * `RequestValidationError` if that no longer holds.
 */
async function findChangeClock(
  subscription: Subscription,
  { clock, context, productId, previewedAt }: Confirmed,
): Promise<OrganizationClock> {
  if (!previewedAt) return clock
  const { em, now } = context
  const at = new Date(previewedAt)
  const age = now.getTime() - at.getTime()
  const changedAt = subscription.modifiedAt ?? subscription.createdAt
  const isOutdated = age < 0 || age > validMs || changedAt > at
  if (isOutdated || (await em.count(ProductPrice, { product: productId, createdAt: { $gt: at } })) > 0)
    throw createOutdatedError('The subscription or the price has changed since the preview, or it is older than 15 minutes.')
  if (await haveTermsChanged(subscription, { em, at }))
    throw createOutdatedError('An order, the details of the customer or a tax rate has changed since the preview.')
  return setClockTo(clock, { at, now })
}

/** A deleted tax rate leaves no trace: the change then bills less than was shown. */
async function haveTermsChanged(
  { id: subscriptionId, organizationId, customerId }: Subscription,
  { em, at }: { em: Transaction['em']; at: Date },
): Promise<boolean> {
  const later = { $gt: at }
  const rates = await em.count(TaxRate, { organizationId, $or: [{ createdAt: later }, { modifiedAt: later }] })
  if (rates > 0) return true
  const customers = await em.count(Customer, { id: customerId, modifiedAt: later })
  if (customers > 0 || (await em.count(Proration, { subscriptionId, createdAt: later })) > 0) return true
  // A refund lowers the credit for unused time.
  return (await em.count(Order, { subscriptionId, modifiedAt: later })) > 0
}

function createOutdatedError(reason: string): RequestValidationError {
  return RequestValidationError.field(['previewed_at'], `${reason} Preview the change again.`)
}
