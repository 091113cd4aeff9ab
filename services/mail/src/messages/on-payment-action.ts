import { orderPaymentActionRequired, type OrderPaymentAction } from '@quittance/contracts/order-payments'
import { durableConsumers } from '@quittance/contracts/streams'
import { consumer, type Transaction } from '@quittance/runtime/handler'
import { storeBuyer } from './customer-copy.ts'
import { storeBuyerMessage, type NewMessage } from './store-message.ts'

/** After that the change is undone. */
const confirmableMs = 23 * 3_600_000

const dayMs = 24 * 3_600_000

/** Anyone can type any address at a checkout, and order there without a payment. Renewals are not limited. */
const maxRequestsPerDay = 10

const countRequests = `
  select count(*)::int as count from messages
  where customer_id = :customer_id and kind = 'transfer_request' and created_at > now() - interval '1 day'
    and organization_id = any (:scope_organizations)`

/**
 * Asks the buyer to send the money of an order, or to confirm the payment of a change of plan. Other orders that only the buyer can pay have
 * the mail about the failed payment.
 */
export const onPaymentActionRequired = consumer(
  durableConsumers.mailPaymentActions,
  [orderPaymentActionRequired],
  async (message, transaction) => {
    const { payload: order, organizationId } = message
    const request = toTransferRequest(order) ?? toPlanConfirmation(order)
    if (!request) return
    if (request.data.kind === 'transfer_request' && (await isLimited(order, transaction))) return
    await storeBuyer(order, organizationId, transaction)
    await storeBuyerMessage(transaction, message, { ...request, customer: order.customer })
  },
)

async function isLimited({ billing_reason: reason, customer_id }: OrderPaymentAction, { sql, log }: Transaction): Promise<boolean> {
  if (reason !== 'purchase' && reason !== 'subscription_create') return false
  const [sent] = await sql<{ count: number }>('message.count-transfer-requests', countRequests, { customer_id })
  const isReached = (sent?.count ?? 0) >= maxRequestsPerDay
  if (isReached) log.warn({ customer_id }, 'message.limited')
  return isReached
}

type Request = Pick<NewMessage, 'data' | 'sourceId' | 'expiresAt'>

/** A later request for the money of the same order is another mail, because it has another reference and due date. */
function toTransferRequest({ id: orderId, product, payment, transfer }: OrderPaymentAction): Request | null {
  if (!transfer) return null
  const { due_date: dueDate, beneficiary, iban, bic, reference, amount, currency } = transfer
  const account = { beneficiary, iban, bic, reference, amount, currency, dueDate }
  return {
    data: { kind: 'transfer_request', product: product.name, orderId, ...account },
    sourceId: payment.id,
    expiresAt: new Date(Date.parse(dueDate) + dayMs),
  }
}

/** What a subscription that has ended still owes changes no plan. */
function toPlanConfirmation(order: OrderPaymentAction): Request | null {
  const { id: sourceId, subscription, currency, total_amount: amount, product, created_at: createdAt } = order
  if (order.billing_reason !== 'subscription_update' || subscription?.status !== 'active') return null
  return {
    data: { kind: 'plan_confirmation', product: product.name, currency, amount, subscriptionId: subscription.id },
    sourceId,
    expiresAt: new Date(Date.parse(createdAt) + confirmableMs),
  }
}
