import type { Metadata } from '@quittance/contracts/metadata'
import type { Transaction } from '@quittance/runtime/handler'
import type { ScopedSql } from '@quittance/sql/sql-runner'
import { Discount } from '../catalog/discounts/discount.ts'
import { discountOn } from '../pricing/order-amounts.ts'
import { loadClock, loadSubscriptionSettings } from '../organizations/organization.ts'
import { lockCustomer } from '../customers/lock-customer.ts'
import { Subscription } from './subscription.ts'
import { periodEnd, type RecurringInterval, type OfferedTrial } from '../pricing/billing-period.ts'
import { publishSubscriptionChange } from './publish-subscription-change.ts'
import { Conflict, RequestValidationError } from '@quittance/contracts/errors'
import { AlreadyActiveSubscriptionError } from '@quittance/contracts/checkouts'

/** A confirmed purchase of a recurring product. */
export interface SubscriptionStart {
  organizationId: string
  customerId: string
  checkoutId: string
  productId: string
  productPriceId: string
  interval: RecurringInterval
  currency: string
  priceAmount: bigint
  discountId: string | null
  /** Token of the sandbox for renewals, for release 0.1.0; null if nothing has to be paid. */
  paymentToken: string | null
  metadata: Metadata
  /** Nothing is to be paid for the first period. */
  isFree: boolean
  /** Null: it begins with a paid period. */
  trial: OfferedTrial | null
}

/** Creates a subscription; active at once if nothing is to be paid. */
export async function startSubscription(
  context: Transaction,
  { interval, isFree, trial, ...purchase }: SubscriptionStart,
): Promise<Subscription> {
  const { em } = context
  const { organizationId, customerId, priceAmount, discountId } = purchase
  await requireCustomer(context.sql, customerId)
  await assertSingleSubscription(context.sql, { organizationId, customerId })
  const clock = await loadClock(context, organizationId)
  const start = clock.now
  const anchorDay = start.getUTCDate()
  const discount = discountId ? await em.findOneOrFail(Discount, discountId) : null
  const amount = priceAmount - discountOn(priceAmount, discount?.rule() ?? null)
  const subscription = em.create(Subscription, {
    ...purchase,
    status: 'incomplete',
    amount,
    periodAmount: amount,
    recurringInterval: interval,
    anchorDay,
    currentPeriodStart: start,
    currentPeriodEnd: periodEnd(start, { interval, anchorDay }),
    trialStart: null,
    trialEnd: null,
    cancelAtPeriodEnd: false,
    canceledAt: null,
    startedAt: null,
    endsAt: null,
    endedAt: null,
    discountFrom: discountId ? start : null,
    customerCancellationReason: null,
    customerCancellationComment: null,
    failedCharges: 0,
    paymentMethodId: null,
    isAccepted: false,
    pendingProductId: null,
    dueAt: null,
    leasedUntil: null,
  })
  if (trial) {
    subscription.planTrial(trial, clock)
    if (!trial.needsMethod) subscription.startTrial(clock)
    await redeemTrial(context, subscription)
  } else if (isFree) subscription.markPaid(clock)
  await em.flush()
  await publishSubscriptionChange(context, subscription, null)
  return subscription
}

const redeem = `
  insert into trial_redemptions (organization_id, customer_id, product_id, subscription_id)
  select s.organization_id, s.customer_id, s.product_id, s.id from subscriptions s where s.id = :id and s.organization_id = any (:scope_organizations)
  on conflict do nothing returning 1`

/** Throws `RequestValidationError` if the customer has had a trial of this product. */
async function redeemTrial({ em, sql }: Transaction, { id }: Subscription): Promise<void> {
  await em.flush()
  if ((await sql('trial.redeem', redeem, { id })).length > 0) return
  throw RequestValidationError.field(
    ['allow_trial'],
    'There was a trial of this product already. Set allow_trial to false to order without one.',
  )
}

/** Locks the customer row so that a concurrent deletion also ends the new subscription. */
async function requireCustomer(sql: ScopedSql, id: string): Promise<void> {
  if (!(await lockCustomer(sql, id))) throw new Conflict('The customer was deleted at the same time. Try again.')
}

/**
 * Includes subscriptions with a first payment in progress, so that two concurrent ones do not both become active, and one that is `unpaid`, which
 * its buyer can still pay.
 */
const occupied = `
  select 1 from subscriptions
  where organization_id = :organization_id and organization_id = any (:scope_organizations) and customer_id = :customer_id
    and (status in ('trialing', 'active', 'past_due', 'unpaid') or (status = 'incomplete' and created_at > now() - interval '1 hour'))
  limit 1`

/**
 * Throws if the customer has another subscription, unless the organization allows several. Concurrent confirmations for the same customer
 * wait, because the customer's identity is locked.
 */
export async function assertSingleSubscription(sql: ScopedSql, buyer: { organizationId: string; customerId: string }): Promise<void> {
  const found = await sql('subscription.occupied', occupied, { organization_id: buyer.organizationId, customer_id: buyer.customerId })
  if (found.length === 0) return
  const { allow_multiple_subscriptions } = await loadSubscriptionSettings(sql, buyer.organizationId)
  if (!allow_multiple_subscriptions) throw new AlreadyActiveSubscriptionError('You already have an active subscription.')
}
