import { orderPaymentActionRequired, type OrderPayment } from '@quittance/contracts/order-payments'
import { paymentCreated, paymentUpdated } from '@quittance/contracts/payments'
import type { Transaction } from '@quittance/runtime/handler'
import { orderView } from '../orders/order-view.ts'
import type { Payment } from './payment.ts'
import type { PaymentProgress } from './payment-progress.ts'
import { paymentView } from './payment-queries.ts'

type Publishing = Pick<Transaction, 'read' | 'publish'>

/** Publishes a new payment as its seller sees it, as an event of its order. */
export function publishPaymentCreated(transaction: Publishing, payment: Payment): Promise<void> {
  return publishPayment(transaction, payment, paymentCreated)
}

/** Returns what publishes the change of a payment since now, if there is one that its seller or its buyer waits for. */
export function watchPayment(transaction: Publishing, payment: Payment): () => Promise<void> {
  const before = payment.toProgress()
  return async () => {
    const after = payment.toProgress()
    if (isAnnounced(before, after)) await publishPayment(transaction, payment, paymentUpdated)
    // Later reads of the same request publish nothing.
    if (before.state !== 'requires_action' && after.state === 'requires_action') await publishTransferRequest(transaction, payment)
  }
}

async function publishPayment({ read, publish }: Publishing, payment: Payment, event: typeof paymentCreated): Promise<void> {
  const { id, orderId: aggregateId, organizationId } = payment
  const payload = JSON.parse(await read.one(paymentView, { where: 'pa.id = :id', values: { id } }))
  publish({ event, aggregateId, organizationId, payload })
}

/** Publishes how the buyer sends the money: the order of a renewal is placed while they are absent. */
async function publishTransferRequest({ read, publish }: Publishing, payment: Payment): Promise<void> {
  const { action, orderId: aggregateId, organizationId, amount, currency } = payment
  if (action?.by !== 'transfer') return
  const { dueDate, ...instructions } = action.instructions
  const transfer = { ...instructions, due_date: dueDate, amount: Number(amount), currency }
  const payload = { ...(await readOrderPayment(read, payment)), transfer }
  publish({ event: orderPaymentActionRequired, aggregateId, organizationId, payload })
}

/** Reads an order with one of its payments, as its seller sees both. */
export async function readOrderPayment(read: Transaction['read'], { id, orderId }: Pick<Payment, 'id' | 'orderId'>): Promise<OrderPayment> {
  const order = await read.one(orderView, { where: 'o.id = :id', values: { id: orderId } })
  const payment = await read.one(paymentView, { where: 'pa.id = :id', values: { id } })
  return { ...JSON.parse(order), payment: JSON.parse(payment) }
}

type Shown = Pick<PaymentProgress, 'state' | 'quarantineReason'>

/** A decline is published once the payment can no longer succeed, which a moment later its object at the provider proves. */
function isAnnounced(before: Shown, after: Shown): boolean {
  if ((before.quarantineReason === null) !== (after.quarantineReason === null)) return true
  return after.state !== 'closing' && toPhase(before.state) !== toPhase(after.state)
}

/** Calls to the provider follow each other within a second. */
const toPhase = (state: PaymentProgress['state']) => (state === 'prepared' || state === 'submitted' ? 'created' : state)
