import { confirmCheckout as contract, PaymentError } from '@quittance/contracts/checkouts'
import { RequestValidationError, type ValidationIssue } from '@quittance/contracts/errors'
import type { ReplyOf, RequestOf } from '@quittance/contracts/operation'
import { staged, type CommandContext } from '@quittance/runtime/handler'
import { openCustomerSession } from '../customer-sessions/customer-session.ts'
import { lockCustomer } from '../customers/lock-customer.ts'
import { Discount } from '../catalog/discounts/discount.ts'
import { redeemDiscount } from '../catalog/discounts/redeem-discount.ts'
import { payOrder, placeOrder } from '../orders/place-order.ts'
import { paymentProcessor } from '../payments/processor.ts'
import { startPayment } from '../payments/start-payment.ts'
import { Product } from '../catalog/products/product.ts'
import { startSubscription } from '../subscriptions/start-subscription.ts'
import { Subscription } from '../subscriptions/subscription.ts'
import { upgradeSubscription } from '../subscriptions/upgrade-subscription.ts'
import type { Checkout } from './checkout.ts'
import { changeCheckoutProduct, createUnusableDiscountError, findDiscountByCode, priceCheckout } from './checkout-pricing.ts'
import { checkoutPublicView } from './checkout-view.ts'
import { resolveCheckoutCustomer } from './resolve-checkout-customer.ts'
import { findOpenCheckout, publishCheckoutUpdated } from './update-checkout.ts'
import { buildCheckoutOrderDraft, toSubscriptionStart, toSubscriptionUpgrade } from './checkout-order-draft.ts'
import { checkPaymentToken, type TokenCheck } from './check-payment-token.ts'

type Request = RequestOf<typeof contract>

/**
 * Confirms a checkout. The payment token is checked first, outside the transaction; the charge is made by the job that the payment wakes.
 */
export const confirmCheckout = staged(contract, { look: checkPaymentToken, commit: confirm, finish: (confirmed) => confirmed })

async function confirm(request: Request, context: CommandContext & { looked: TokenCheck | undefined }): Promise<ReplyOf<typeof contract>> {
  const { em, read } = context
  const secret = request.client_secret
  const checkout = await findOpenCheckout(context, secret)
  checkout.applyBuyerDetails(request)
  await changeCheckoutProduct(context, checkout, request)
  const discount = await chooseDiscount({ checkout, code: request.discount_code ?? null }, context)
  const priced = await priceCheckout(checkout, context)
  assertExpectedTotal(checkout, request)
  const product = await em.findOneOrFail(Product, checkout.productId)
  const needsToken = checkout.needsPaymentToken(product.recurringInterval !== null)
  if (needsToken && !paymentProcessor()) throw new PaymentError('This seller cannot take payments right now.')
  assertComplete({ checkout, request, needsToken })
  const token = needsToken ? (request.confirmation_token_id as string) : null
  if (token && context.looked === 'declined') {
    throw new PaymentError('The payment failed. Please try again with a different payment method.')
  }
  const buyer = await resolveCheckoutCustomer(checkout, context)
  const { customer, isProven } = buyer
  checkout.confirm(customer.id, { isProven })
  const subscription = await findOrStartSubscription({ checkout, product, token }, context)
  const draft = buildCheckoutOrderDraft(checkout, { priced, buyer, product, subscription })
  await redeem(discount, { request, context })
  const order = await placeOrder(context, draft)
  const confirmed = JSON.parse(await read.one(checkoutPublicView, { where: 'ch.client_secret = :secret', values: { secret } }))
  if (checkout.totalAmount() === 0n) {
    if (checkout.subscriptionId) await upgradeSubscription(context, toSubscriptionUpgrade(checkout, token))
    await payOrder(context, order)
    checkout.succeed()
  } else {
    await startPayment(context, { order, confirmationToken: token as string })
  }
  await publishCheckoutUpdated(checkout, context)
  const { token: sessionToken } = openCustomerSession(context, {
    customerId: customer.id,
    organizationId: checkout.organizationId,
    checkoutId: isProven ? null : checkout.id,
    madeByCheckoutId: buyer.isNew ? checkout.id : null,
  })
  return { ...confirmed, customer_session_token: sessionToken }
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
}

/** Returns the subscription to a recurring product: a new one, or the free one that is upgraded once this is paid. */
async function findOrStartSubscription(
  { checkout, product, token }: SubscriptionOptions,
  context: CommandContext,
): Promise<Subscription | null> {
  if (!product.recurringInterval) return null
  if (checkout.subscriptionId) {
    await lockCustomer(context.sql, checkout.customerId as string)
    return context.em.findOneOrFail(Subscription, checkout.subscriptionId)
  }
  return startSubscription(context, toSubscriptionStart(checkout, { interval: product.recurringInterval, paymentToken: token }))
}

/** Applies a given code in place of the discount. A code that cannot be used is rejected, not ignored. */
async function chooseDiscount(
  { checkout, code }: { checkout: Checkout; code: string | null },
  context: CommandContext,
): Promise<Discount | null> {
  const { em, now } = context
  const hasCode = code !== null && checkout.allowDiscountCodes
  if (!hasCode && !checkout.discountId) return null
  const discount = hasCode
    ? await findDiscountByCode(context, { checkout, code })
    : await em.findOneOrFail(Discount, checkout.discountId as string)
  if (!discount.isRedeemable({ productId: checkout.productId, currency: checkout.currency, now })) {
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

/** Throws one error that names every missing field. */
function assertComplete({ checkout, request, needsToken }: { checkout: Checkout; request: Request; needsToken: boolean }): void {
  const required: [string, unknown][] = [['customer_email', checkout.customerEmail]]
  if (needsToken) required.push(['confirmation_token_id', request.confirmation_token_id])
  if (checkout.requireBillingAddress || checkout.taxAmount === null)
    required.push(['customer_billing_address', checkout.customerBillingAddress])
  if (checkout.isBusinessCustomer) required.push(['customer_billing_name', checkout.customerBillingName])
  const missing: ValidationIssue[] = required
    .filter(([, value]) => !value)
    .map(([field]) => ({ loc: ['body', field], msg: 'Field required', type: 'missing' }))
  if (missing.length > 0) throw new RequestValidationError(missing)
}
