import { PaymentError } from '@quittance/contracts/checkouts'
import type { FinishContext } from '@quittance/runtime/handler'
import { awaitPayment, type StartedRow } from '../payments/await-payment.ts'
import { describeFailure } from '../payments/buyer-messages.ts'

/** A committed change of a subscription. */
export interface StartedChange {
  id: string
  /** That of a change which is charged at once. */
  payment: StartedRow | null
}

/** Waits for the first result of the payment of a change. Throws `PaymentError` if it failed; the change is undone then. */
export async function awaitChange({ payment }: StartedChange, context: FinishContext): Promise<void> {
  if (!payment) return
  const settled = await awaitPayment(payment, context)
  if (settled.state === 'failed') throw new PaymentError(describeFailure(settled))
}
