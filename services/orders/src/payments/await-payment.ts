import { setTimeout as wait } from 'node:timers/promises'
import type { FinishContext } from '@quittance/runtime/handler'
import { config } from '../config.ts'
import { callLeaseMs } from './calls-in-progress.ts'
import { drivePayment } from './drive-payment.ts'
import { Payment } from './payment.ts'
import { paymentsInProgress } from './settle-due-payments.ts'

/** A payment that a request started, with its lease. */
export interface StartedPayment {
  id: string
  organizationId: string
  lease: string
}

/**
 * Drives a payment until it has a first result, at most `CONFIRM_WAIT_MS`; calls that are still in progress then continue. Returns the
 * payment as it is stored.
 */
export async function awaitPayment({ id, organizationId, lease }: StartedPayment, context: FinishContext): Promise<Payment> {
  const waitMs = config().CONFIRM_WAIT_MS
  const until = new Date(Date.now() + waitMs)
  const driven = paymentsInProgress.run(id, () =>
    drivePayment({ id, organizationId, lease }, { context: { ...context, leaseMs: callLeaseMs }, until }),
  )
  await Promise.race([driven, wait(waitMs, undefined, { ref: false })])
  return context.transaction(organizationId, ({ em }) => em.findOneOrFail(Payment, id))
}
