import { confirmCheckout as contract, ExpiredCheckoutError, PaymentError } from '@quittance/contracts/checkouts'
import { RequestValidationError } from '@quittance/contracts/errors'
import type { ReplyOf, RequestOf } from '@quittance/contracts/operation'
import { staged, type CommandContext, type FinishContext } from '@quittance/runtime/handler'
import { pagesUrl } from '../config.ts'
import { openCustomerSession } from '../customer-sessions/customer-session.ts'
import { lockCustomer } from '../customers/lock-customer.ts'
import { Discount } from '../catalog/discounts/discount.ts'
import { redeemDiscount } from '../catalog/discounts/redeem-discount.ts'
import type { Order } from '../orders/order.ts'
import { payOrder, placeOrder } from '../orders/place-order.ts'
import { awaitSetup } from '../payment-setups/drive-setup.ts'
import { startSetup } from '../payment-setups/start-setup.ts'
import { awaitPayment } from '../payments/await-payment.ts'
import { describeFailure } from '../payments/buyer-messages.ts'
import { callLeaseMs } from '../payments/calls-in-progress.ts'
import { startPayment } from '../payments/start-payment.ts'
import { Product } from '../catalog/products/product.ts'
import { startSubscription } from '../subscriptions/start-subscription.ts'
import { Subscription } from '../subscriptions/subscription.ts'
import { upgradeSubscription } from '../subscriptions/upgrade-subscription.ts'
import type { Checkout } from './checkout.ts'
import { changeCheckoutProduct, createUnusableDiscountError, findDiscountByCode, priceCheckout } from './checkout-pricing.ts'
import { checkoutPublicView } from './checkout-view.ts'
import { resolveCheckoutCustomer, type Buyer } from './resolve-checkout-customer.ts'
import { findOpenCheckout, publishCheckoutUpdated } from './update-checkout.ts'
import { buildCheckoutOrderDraft, toSubscriptionStart, toSubscriptionUpgrade } from './checkout-order-draft.ts'
import type { TokenCheck } from '../payments/check-token.ts'
import { checkPaymentToken } from './check-payment-token.ts'
import { decideCollection, type Collection } from './decide-collection.ts'
import { recordAttempt } from './payment-attempts.ts'
import type { OfferedTrial } from '../pricing/billing-period.ts'

type Request = RequestOf<typeof contract>

/** A confirmed checkout, stored under the `Idempotency-Key`. */
interface Confirmed {
  clientSecret: string
  organizationId: string
  sessionToken: string
  /** Null if nothing is to be paid. */
  payment: { id: string; lease: string } | null
  /** The payment method of a trial is stored. */
  setup?: { id: string; lease: string } | null
}

/**
 * Confirms a checkout. The payment token is checked first; then the payment is recorded; then the request makes its calls and replies after
 * the first result. Without one in time the reply is the same, and a job continues.
 */
export const confirmCheckout = staged(contract, { prepare: checkPaymentToken, commit: confirm, finish })

async function confirm(request: Request, context: CommandContext & { prepared: TokenCheck | undefined }): Promise<Confirmed> {
  const { em, now } = context
  const checkout = await findOpenCheckout(context, request.client_secret)
  const { organizationId } = checkout
  checkout.applyBuyerDetails(request)
  checkout.applySettings({ allow_trial: request.allow_trial })
  checkout.immediateAccessConsentedAt = request.immediate_access_consent ? now : null
  await changeCheckoutProduct(context, checkout, request)
  const discount = await chooseDiscount({ checkout, code: request.discount_code ?? null }, context)
  const priced = await priceCheckout(checkout, context)
  assertExpectedTotal(checkout, request)
  const product = await em.findOneOrFail(Product, checkout.productId)
  const collection = await decideCollection({ checkout, product, request }, context)
  const { trial, token, sandboxToken, isSetup } = collection
  const buyer = await resolveCheckoutCustomer(checkout, context)
  checkout.confirm(buyer.customer.id, buyer)
  const subscription = await findOrStartSubscription({ checkout, product, trial, isSetup, token: sandboxToken }, context)
  const draft = buildCheckoutOrderDraft(checkout, { priced, buyer, product, subscription, isTrial: trial !== null })
  await redeem(discount, { request, context })
  const order = await placeOrder(context, draft)
  const leasedUntil = new Date(now.getTime() + callLeaseMs)
  const keep = product.recurringInterval !== null
  const id = await collect(context, { checkout, order, collection, keep, leasedUntil })
  if (token && id) await recordAttempt(checkout, { paymentId: id, context })
  await publishCheckoutUpdated(checkout, context)
  const sessionToken = openBuyerSession(context, { checkout, buyer })
  const row = id === null ? null : { id, lease: leasedUntil.toISOString() }
  const collected = isSetup ? { payment: null, setup: row } : { payment: row }
  return { clientSecret: checkout.clientSecret, organizationId, sessionToken, ...collected }
}

interface CollectedOrder {
  checkout: Checkout
  order: Order
  collection: Collection
  /** The method is charged again later. */
  keep: boolean
  leasedUntil: Date
}

/** Starts the payment or the setup of an order, and returns its id; null if the order is complete. */
async function collect(context: CommandContext, { checkout, order, collection, ...start }: CollectedOrder): Promise<string | null> {
  const { account, token, sandboxToken, isSetup } = collection
  const { keep, leasedUntil } = start
  const returnUrl = confirmationUrl(checkout)
  if (isSetup && account && token) {
    const ids = { customerId: order.customerId, checkoutId: checkout.id }
    return startSetup(context, { ...ids, account, token, setDefault: false, returnUrl, leasedUntil })
  }
  if (order.totalAmount === 0n || !account) return completeFree(context, { checkout, order, token: sandboxToken })
  return startPayment(context, { order, initiator: 'buyer', keep, returnUrl, leasedUntil, account, ...toSource(token) })
}

/** The page that waits for the result of a payment. The seller's page is next: it must not receive what the provider adds to an address. */
const confirmationUrl = ({ clientSecret }: Checkout) => `${pagesUrl()}/checkout/${clientSecret}/confirmation`

/** A token of the buyer, or nothing if the buyer sends the money. */
const toSource = (token: string | null) => (token === null ? { source: null } : { source: { token }, sandboxToken: token })

async function completeFree(
  context: CommandContext,
  { checkout, order, token }: { checkout: Checkout; order: Order; token: string | null },
): Promise<null> {
  if (checkout.subscriptionId)
    await upgradeSubscription(context, { upgrade: toSubscriptionUpgrade(checkout, { paymentToken: token, paymentMethodId: null }), order })
  await payOrder(context, order)
  checkout.succeed()
  return null
}

function openBuyerSession(context: CommandContext, { checkout, buyer }: { checkout: Checkout; buyer: Buyer }): string {
  const { token } = openCustomerSession(context, {
    customerId: buyer.customer.id,
    organizationId: checkout.organizationId,
    checkoutId: buyer.isProven ? null : checkout.id,
    madeByCheckoutId: buyer.isNew ? checkout.id : null,
    proof: buyer.isProven && !buyer.isNew ? 'seller' : null,
  })
  return token
}

/** Throws `PaymentError` if the payment failed. The status is always `confirmed`; the client polls for the result. */
async function finish(confirmed: Confirmed, context: FinishContext): Promise<ReplyOf<typeof contract>> {
  const { clientSecret: secret, organizationId, payment, setup, sessionToken } = confirmed
  const row = payment ?? setup
  if (row) {
    const settled = await (payment ? awaitPayment : awaitSetup)({ ...row, organizationId }, context)
    if (settled.state === 'failed') throw new PaymentError(describeFailure(settled))
  }
  const view = await context.read.one(checkoutPublicView, { where: 'ch.client_secret = :secret', values: { secret } })
  return { ...JSON.parse(view), status: 'confirmed', customer_session_token: sessionToken }
}

/** Throws if the buyer saw another total, because a price, a tax or a discount changed since. */
function assertExpectedTotal(checkout: Checkout, { expected_total_amount: expected }: Request): void {
  if (expected === null || expected === undefined || BigInt(expected) === checkout.totalAmount()) return
  throw RequestValidationError.field(
    ['expected_total_amount'],
    `The total is ${checkout.totalAmount()}. Show it to the buyer and confirm again.`,
  )
}

interface SubscriptionOptions {
  checkout: Checkout
  product: Product
  token: string | null
  trial: OfferedTrial | null
  /** It starts once the payment method is stored. */
  isSetup: boolean
}

/** Returns the subscription to a recurring product: a new one, or the free one that is upgraded once this is paid. */
async function findOrStartSubscription(
  { checkout, product, token, trial, isSetup }: SubscriptionOptions,
  context: CommandContext,
): Promise<Subscription | null> {
  if (!product.recurringInterval) return null
  if (checkout.subscriptionId) {
    await lockCustomer(context.sql, checkout.customerId as string)
    const upgraded = await context.em.findOneOrFail(Subscription, checkout.subscriptionId)
    if (!upgraded.isUpgradable()) throw new ExpiredCheckoutError('The subscription of this checkout has ended or is not free any more.')
    return upgraded
  }
  const started = await startSubscription(
    context,
    toSubscriptionStart(checkout, { interval: product.recurringInterval, paymentToken: token, trial, isSetup }),
  )
  checkout.trialEnd = started.trialEnd ?? null
  return started
}

/** Applies a given code in place of the discount. A code that cannot be used is rejected, not ignored. A free price redeems none. */
async function chooseDiscount(
  { checkout, code }: { checkout: Checkout; code: string | null },
  context: CommandContext,
): Promise<Discount | null> {
  const { em, now } = context
  const hasCode = code !== null && checkout.allowDiscountCodes
  const isFree = checkout.priceAmount === 0n
  if (!hasCode && isFree) checkout.applyDiscount(null)
  if (!hasCode && !checkout.discountId) return null
  const discount = hasCode
    ? await findDiscountByCode(context, { checkout, code })
    : await em.findOneOrFail(Discount, checkout.discountId as string)
  if (isFree || !discount.isRedeemable({ productId: checkout.productId, currency: checkout.currency, now })) {
    throw createUnusableDiscountError(hasCode ? 'discount_code' : 'discount_id')
  }
  checkout.applyDiscount(discount)
  return discount
}

/** Redeems last, just before the order. Throws if a concurrent purchase took the last redemption. */
async function redeem(discount: Discount | null, { request, context }: { request: Request; context: CommandContext }): Promise<void> {
  if (!discount || (await redeemDiscount(context, discount))) return
  throw createUnusableDiscountError(request.discount_code ? 'discount_code' : 'discount_id')
}
