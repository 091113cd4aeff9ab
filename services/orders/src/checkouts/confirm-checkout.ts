import { LockMode } from '@mikro-orm/core'
import { checkoutUpdated, confirmCheckout as contract, PaymentError } from '@quittance/contracts/checkouts'
import { RequestValidationError, type ValidationIssue } from '@quittance/contracts/errors'
import type { RequestOf } from '@quittance/contracts/operation'
import { command, type CommandContext, type Transaction } from '@quittance/runtime/handler'
import { openCustomerSession } from '../customer-sessions/open-customer-session.ts'
import { Discount } from '../discounts/discount.ts'
import type { Order } from '../orders/order.ts'
import { payOrder, placeOrder } from '../orders/place-order.ts'
import { Payment } from '../payments/payment.ts'
import { sandboxProcessor } from '../payments/sandbox-processor.ts'
import { settleDuePayments } from '../payments/settle-due-payments.ts'
import { Product } from '../products/product.ts'
import { Checkout } from './checkout.ts'
import { checkoutPublicView, checkoutView } from './checkout-view.ts'
import { customerOfCheckout } from './customer-of-checkout.ts'

type Request = RequestOf<typeof contract>

export const confirmCheckout = command(contract, async (request, context) => {
  const { em, now, read, actFor, publish } = context
  const secret = request.client_secret
  const options = { filters: { organization: false }, lockMode: LockMode.PESSIMISTIC_WRITE } as const
  const checkout = await em.findOneOrFail(Checkout, { clientSecret: secret }, options)
  actFor(checkout.organizationId)
  checkout.refuseUnlessOpen(now)
  checkout.fillIn(request)
  const discount = await chooseDiscount({ checkout, code: request.discount_code ?? null }, context)
  refuseIncomplete(checkout, request)
  const isFree = checkout.totalAmount() === 0n
  if (!isFree && (await sandboxProcessor.authorize(request.confirmation_token_id as string)) === 'declined') {
    throw new PaymentError('The payment failed. Please try again with a different payment method.')
  }
  discount?.redeem()
  const customer = await customerOfCheckout(checkout, context)
  checkout.confirm(customer.id)
  const product = await em.findOneOrFail(Product, checkout.productId)
  const lines = [{ label: product.name, amount: checkout.amount, productPriceId: checkout.productPriceId }]
  const order = await placeOrder(context, { checkout, customer, lines })
  const confirmed = JSON.parse(await read.one(checkoutPublicView, { where: 'ch.client_secret = :secret', values: { secret } }))
  if (isFree) {
    await payOrder(context, order)
    checkout.succeed()
  } else {
    await startPayment(context, { order, confirmationToken: request.confirmation_token_id as string })
  }
  const view = await read.one(checkoutView, { where: 'ch.id = :id', values: { id: checkout.id } })
  publish({ event: checkoutUpdated, aggregateId: checkout.id, organizationId: checkout.organizationId, payload: view })
  const { token } = openCustomerSession(context, { customerId: customer.id, organizationId: checkout.organizationId })
  return { ...confirmed, customer_session_token: token }
})

/** A code that is given replaces the discount; one that cannot be used is refused, not forgotten. */
async function chooseDiscount(
  { checkout, code }: { checkout: Checkout; code: string | null },
  { em, now, rows }: CommandContext,
): Promise<Discount | null> {
  let id = checkout.discountId ?? null
  if (code && checkout.allowDiscountCodes) {
    const [found] = await rows<{ id: string }>(
      'discount.by-code',
      `select id from discounts where organization_id = :organization_id and lower(code) = lower(:code) and deleted_at is null`,
      { organization_id: checkout.organizationId, code },
    )
    if (!found) throw RequestValidationError.field(['discount_code'], 'Discount does not exist or cannot be used.')
    id = found.id
  }
  if (!id) return null
  const discount = await em.findOneOrFail(Discount, id)
  if (!discount.isRedeemable({ productId: checkout.productId, currency: checkout.currency, now })) {
    throw RequestValidationError.field([code ? 'discount_code' : 'discount_id'], 'Discount does not exist or cannot be used.')
  }
  checkout.applyDiscount(discount)
  return discount
}

/** Every missing field is named at once. */
function refuseIncomplete(checkout: Checkout, request: Request): void {
  const required: [string, unknown][] = [['customer_email', checkout.customerEmail]]
  if (checkout.totalAmount() > 0n) required.push(['confirmation_token_id', request.confirmation_token_id])
  if (checkout.requireBillingAddress) required.push(['customer_billing_address', checkout.customerBillingAddress])
  if (checkout.isBusinessCustomer) required.push(['customer_billing_name', checkout.customerBillingName])
  const missing: ValidationIssue[] = required
    .filter(([, value]) => !value)
    .map(([field]) => ({ loc: ['body', field], msg: 'Field required', type: 'missing' }))
  if (missing.length > 0) throw new RequestValidationError(missing)
}

async function startPayment(
  { em, now, wake }: Transaction,
  { order, confirmationToken }: { order: Order; confirmationToken: string },
): Promise<void> {
  em.create(Payment, {
    organizationId: order.organizationId,
    orderId: order.id,
    checkoutId: order.checkoutId ?? null,
    amount: order.totalAmount,
    currency: order.currency,
    confirmationToken,
    status: 'pending',
    dueAt: now,
    leasedUntil: null,
  })
  await wake(settleDuePayments.name)
}
