import { paymentCreated, paymentUpdated } from '@quittance/contracts/payments'
import type { Transaction } from '@quittance/runtime/handler'
import type { Payment } from './payment.ts'
import type { PaymentProgress } from './payment-progress.ts'
import { paymentView } from './payment-queries.ts'

type Publishing = Pick<Transaction, 'read' | 'publish'>

/** Publishes a new payment as its seller sees it, as an event of its order. */
export function publishPaymentCreated(transaction: Publishing, payment: Payment): Promise<void> {
  return publishPayment(transaction, payment, paymentCreated)
}

/** Returns what publishes the change of a payment since now, if there is one that its seller waits for. */
export function watchPayment(transaction: Publishing, payment: Payment): () => Promise<void> {
  const before = payment.toProgress()
  return async () => {
    if (isAnnounced(before, payment.toProgress())) await publishPayment(transaction, payment, paymentUpdated)
  }
}

async function publishPayment({ read, publish }: Publishing, payment: Payment, event: typeof paymentCreated): Promise<void> {
  const { id, orderId: aggregateId, organizationId } = payment
  const payload = JSON.parse(await read.one(paymentView, { where: 'pa.id = :id', values: { id } }))
  publish({ event, aggregateId, organizationId, payload })
}

type Shown = Pick<PaymentProgress, 'state' | 'quarantineReason'>

/** A decline is published once the payment can no longer succeed, which a moment later its object at the provider proves. */
function isAnnounced(before: Shown, after: Shown): boolean {
  if ((before.quarantineReason === null) !== (after.quarantineReason === null)) return true
  return after.state !== 'closing' && toPhase(before.state) !== toPhase(after.state)
}

/** Calls to the provider follow each other within a second. */
const toPhase = (state: PaymentProgress['state']) => (state === 'prepared' || state === 'submitted' ? 'created' : state)
