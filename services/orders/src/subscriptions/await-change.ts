import { PaymentError } from '@quittance/contracts/checkouts'
import type { FinishContext } from '@quittance/runtime/handler'
import { Order } from '../orders/order.ts'
import { awaitPayment, type StartedRow } from '../payments/await-payment.ts'
import { describeFailure } from '../payments/buyer-messages.ts'

/** A committed change of a subscription. */
export interface StartedChange {
  id: string
  /** That of a change which is charged at once. */
  payment: StartedRow | null
}

/**
 * Waits for the first result of the payment of a change. Throws `PaymentError` if the change is undone: its order is voided. One that only the
 * buyer can pay is open.
 */
export async function awaitChange({ payment }: StartedChange, context: FinishContext): Promise<void> {
  if (!payment) return
  const settled = await awaitPayment(payment, context)
  if (settled.state !== 'failed') return
  const order = await context.transaction(payment.organizationId, ({ em }) => em.findOneOrFail(Order, settled.orderId))
  if (order.voidedAt) throw new PaymentError(describeFailure(settled))
}
