import { PaymentError } from '@quittance/contracts/checkouts'
import {
  confirmOrderPayment as contract,
  PaymentInProgress,
  type CustomerOrderPaymentConfirmation,
} from '@quittance/contracts/customer-payments'
import { Conflict, RequestValidationError, TooManyRequests } from '@quittance/contracts/errors'
import type { RequestOf } from '@quittance/contracts/operation'
import { staged, type CommandContext, type FinishContext } from '@quittance/runtime/handler'
import { sharedByCheckouts } from '@quittance/sql/sql-runner'
import { assertMayPay, recordAttempt } from '../checkouts/payment-attempts.ts'
import { lockOrder } from '../orders/lock-order.ts'
import { Order } from '../orders/order.ts'
import { findChargeableMethod } from '../payment-methods/stored-methods.ts'
import { awaitPayment, type StartedRow } from '../payments/await-payment.ts'
import { describeFailure, noPaymentsMessage } from '../payments/buyer-messages.ts'
import { callLeaseMs } from '../payments/calls-in-progress.ts'
import { hasPaymentInProgress } from '../payments/payment.ts'
import { findAccountForPayments, loadProviderAccount } from '../payments/provider-account.ts'
import { startPayment, type PaymentStart } from '../payments/start-payment.ts'
import { acceptSubscription } from '../subscriptions/charge-owed-orders.ts'
import { assertNeeded } from '../subscriptions/retry-order-payment.ts'
import { Subscription } from '../subscriptions/subscription.ts'
import { isTerminal } from '../subscriptions/subscription-status.ts'

type Request = RequestOf<typeof contract>

/** Pays an order that the schedule could not charge. It neither uses up nor moves the schedule. */
export const confirmOrderPayment = staged(contract, { commit: start, finish })

async function start(request: Request, context: CommandContext): Promise<StartedRow> {
  const { em, now } = context
  const found = await em.findOneOrFail(Order, { id: request.id }, { disableIdentityMap: true })
  context.beyondCheckout()
  // The schedule and the buyer wait for each other.
  const order = await lockOrder(found, context)
  order.assertPayable()
  if (!order.subscriptionId || order.checkoutId) throw new Conflict('The order is paid by its checkout.')
  const subscription = await em.findOneOrFail(Subscription, order.subscriptionId)
  assertNeeded(order, subscription)
  if (await hasPaymentInProgress(order.id, em)) throw new PaymentInProgress('A payment of the order is in progress.')
  await assertMayTry(order, context)
  const leasedUntil = new Date(now.getTime() + callLeaseMs)
  const source = await chooseSource(request, { order, context })
  if (request.confirmation_token_id) await assertMayPay(order, context)
  acceptSubscription(subscription, context)
  const keep = 'token' in source.source && !isTerminal(subscription.status)
  const id = await startPayment(context, { order, initiator: 'buyer_again', keep, leasedUntil, ...source })
  if (request.confirmation_token_id) await recordAttempt(order, { paymentId: id, context })
  return { id, organizationId: order.organizationId, lease: leasedUntil.toISOString() }
}

/** Declined payments of one buyer within an hour: more are not tried. */
const maxBuyerDeclines = 10

const countDeclines = `
  select count(*)::int as declines, ceil(extract(epoch from min(p.created_at) + interval '1 hour' - now()))::int as retry_after
  from payments p join orders o on o.id = p.order_id
  where o.customer_id = :customer_id and p.initiator = 'buyer_again' and p.failure_reason = 'declined' and p.created_at > now() - interval '1 hour'
    and p.organization_id = any (:scope_organizations) and (:scope_customer::uuid is null or o.customer_id = :scope_customer) and ${sharedByCheckouts}`

async function assertMayTry({ customerId }: Order, { sql }: CommandContext): Promise<void> {
  const [recent] = await sql<{ declines: number; retry_after: number }>('customer-order.count-declines', countDeclines, {
    customer_id: customerId,
  })
  if (recent && recent.declines >= maxBuyerDeclines)
    throw new TooManyRequests('Too many payments were declined. Try again later.', Math.max(1, recent.retry_after))
}

type Source = Pick<PaymentStart, 'account' | 'paymentMethodId' | 'sandboxToken'> & { source: NonNullable<PaymentStart['source']> }

/** A session bound to a checkout reaches only its order, which is never paid here: stored methods need a session that proves who the buyer is. */
async function chooseSource(
  { confirmation_token_id: token, payment_method_id: methodId }: Request,
  { order, context }: { order: Order; context: CommandContext },
): Promise<Source> {
  const { sql } = context
  const { organizationId, customerId } = order
  if (token && methodId) throw RequestValidationError.field(['payment_method_id'], 'A token or a payment method, not both.')
  if (methodId) {
    const method = await findChargeableMethod(sql, { customerId, preferred: methodId, mayUseDefault: false })
    if (method?.id !== methodId) throw RequestValidationError.field(['payment_method_id'], 'Payment method does not exist.')
    const account = await loadProviderAccount(sql, { organizationId, paymentAccountId: method.accountId })
    return { account, source: { method: method.method }, paymentMethodId: methodId }
  }
  if (!token) throw RequestValidationError.field(['confirmation_token_id'], 'Field required')
  const means = await findAccountForPayments(sql, { organizationId })
  if (!means || means.isSentByBuyer) throw new PaymentError(noPaymentsMessage)
  return { account: means.account, source: { token }, sandboxToken: token }
}

async function finish(started: StartedRow, context: FinishContext): Promise<CustomerOrderPaymentConfirmation> {
  const payment = await awaitPayment(started, context)
  if (payment.state === 'failed') throw new PaymentError(describeFailure(payment))
  const status = payment.state === 'succeeded' || payment.state === 'requires_action' ? payment.state : 'processing'
  const secret = payment.action?.by === 'client' ? payment.action.clientSecret : null
  return { status, client_secret: secret, error: null }
}
