import { confirmCheckout as contract, PaymentError } from '@quittance/contracts/checkouts'
import { RequestValidationError, type ValidationIssue } from '@quittance/contracts/errors'
import type { RequestOf } from '@quittance/contracts/operation'
import { command, type CommandContext } from '@quittance/runtime/handler'
import { openCustomerSession } from '../customer-sessions/open-customer-session.ts'
import { Discount } from '../discounts/discount.ts'
import { redeemDiscount } from '../discounts/redeem-discount.ts'
import { payOrder, placeOrder } from '../orders/place-order.ts'
import { sandboxProcessor } from '../payments/sandbox-processor.ts'
import { startPayment } from '../payments/start-payment.ts'
import { Product } from '../products/product.ts'
import { startSubscription } from '../subscriptions/start-subscription.ts'
import { Subscription } from '../subscriptions/subscription.ts'
import { upgradeSubscription } from '../subscriptions/upgrade-subscription.ts'
import type { Checkout } from './checkout.ts'
import { changeProduct } from './change-product.ts'
import { checkoutPublicView } from './checkout-view.ts'
import { customerOfCheckout } from './customer-of-checkout.ts'
import { findDiscountByCode, unusableDiscount } from './find-discount-by-code.ts'
import { findOpenCheckout } from './find-open-checkout.ts'
import { priceCheckout } from './price-checkout.ts'
import { saleOfCheckout } from './sale-of-checkout.ts'
import { tellCheckout } from './tell-checkout.ts'

type Request = RequestOf<typeof contract>

export const confirmCheckout = command(contract, async (request, context) => {
  const { em, read } = context
  const secret = request.client_secret
  const checkout = await findOpenCheckout(context, secret)
  checkout.fillIn(request)
  await changeProduct(context, checkout, request)
  const discount = await chooseDiscount({ checkout, code: request.discount_code ?? null }, context)
  const priced = await priceCheckout(checkout, context)
  const product = await em.findOneOrFail(Product, checkout.productId)
  const needsToken = checkout.needsPaymentToken(product.recurringInterval !== null)
  refuseIncomplete({ checkout, request, needsToken })
  const token = needsToken ? (request.confirmation_token_id as string) : null
  if (token && (await sandboxProcessor.authorize(token)) === 'declined') {
    throw new PaymentError('The payment failed. Please try again with a different payment method.')
  }
  const customer = await customerOfCheckout(checkout, context)
  checkout.confirm(customer.id)
  const subscription = await subscriptionOf({ checkout, product, token }, context)
  const sale = saleOfCheckout(checkout, { priced, customer, product, subscription })
  await redeem(discount, { request, context })
  const order = await placeOrder(context, sale)
  const confirmed = JSON.parse(await read.one(checkoutPublicView, { where: 'ch.client_secret = :secret', values: { secret } }))
  if (checkout.totalAmount() === 0n) {
    if (checkout.subscriptionId) await upgradeSubscription(context, { checkout, paymentToken: token })
    await payOrder(context, order)
    checkout.succeed()
  } else {
    await startPayment(context, { order, confirmationToken: token as string })
  }
  await tellCheckout(checkout, context)
  const session = openCustomerSession(context, { customerId: customer.id, organizationId: checkout.organizationId })
  return { ...confirmed, customer_session_token: session.token }
})

interface Bought {
  checkout: Checkout
  product: Product
  token: string | null
}

/** What a recurring product is subscribed to by: a new subscription, or the free one that changes once this is paid. */
async function subscriptionOf({ checkout, product, token }: Bought, context: CommandContext): Promise<Subscription | null> {
  if (!product.recurringInterval) return null
  if (checkout.subscriptionId) return context.em.findOneOrFail(Subscription, checkout.subscriptionId)
  const customerId = checkout.customerId as string
  return startSubscription(context, { checkout, customerId, interval: product.recurringInterval, paymentToken: token })
}

/** A code that is given replaces the discount; one that cannot be used is refused, not forgotten. */
async function chooseDiscount(
  { checkout, code }: { checkout: Checkout; code: string | null },
  context: CommandContext,
): Promise<Discount | null> {
  const { em, now } = context
  const isGiven = code !== null && checkout.allowDiscountCodes
  if (!isGiven && !checkout.discountId) return null
  const discount = isGiven
    ? await findDiscountByCode(context, { checkout, code })
    : await em.findOneOrFail(Discount, checkout.discountId as string)
  if (!discount.isRedeemable({ productId: checkout.productId, currency: checkout.currency, now })) {
    throw unusableDiscount(isGiven ? 'discount_code' : 'discount_id')
  }
  checkout.applyDiscount(discount)
  return discount
}

/** The last thing before the order: a discount that somebody else took the last of meanwhile is refused. */
async function redeem(discount: Discount | null, { request, context }: { request: Request; context: CommandContext }): Promise<void> {
  if (!discount || (await redeemDiscount(context, discount))) return
  throw unusableDiscount(request.discount_code ? 'discount_code' : 'discount_id')
}

/** Every missing field is named at once. */
function refuseIncomplete({ checkout, request, needsToken }: { checkout: Checkout; request: Request; needsToken: boolean }): void {
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
