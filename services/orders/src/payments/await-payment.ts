import { setTimeout as wait } from 'node:timers/promises'
import type { FinishContext } from '@quittance/runtime/handler'
import { config } from '../config.ts'
import { callLeaseMs, type CallsInProgress } from './calls-in-progress.ts'
import { drivePayment } from './drive-payment.ts'
import type { DrivenId, DriveOptions } from './drive-row.ts'
import { Payment } from './payment.ts'
import { paymentsInProgress } from './settle-due-payments.ts'

/** A payment or setup that a request started or checks; `lease` is null if another worker drives it. */
export interface StartedRow {
  id: string
  organizationId: string
  lease: string | null
}

interface AwaitOptions {
  context: FinishContext
  drive(driven: DrivenId, options: DriveOptions): Promise<void>
  inProgress: CallsInProgress
}

/** Drives a row until it has a first result, at most `CONFIRM_WAIT_MS`; calls that are still in progress then continue. */
export async function awaitResult({ id, organizationId, lease }: StartedRow, { context, drive, inProgress }: AwaitOptions): Promise<void> {
  const waitMs = config().CONFIRM_WAIT_MS
  const until = new Date(Date.now() + waitMs)
  const driven = inProgress.runForRequest(id, () =>
    drive({ id, organizationId, lease }, { context: { ...context, leaseMs: callLeaseMs }, until }),
  )
  await Promise.race([driven, wait(waitMs, undefined, { ref: false })])
}

/** Drives a payment until it has a first result. Returns the payment as it is stored. */
export async function awaitPayment(started: StartedRow, context: FinishContext): Promise<Payment> {
  await awaitResult(started, { context, drive: drivePayment, inProgress: paymentsInProgress })
  return context.transaction(started.organizationId, ({ em }) => em.findOneOrFail(Payment, started.id))
}
