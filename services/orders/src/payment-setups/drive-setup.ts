import { LockMode } from '@mikro-orm/core'
import type { FinishContext } from '@quittance/runtime/handler'
import { settleDueSetupsJobName } from '../job-names.ts'
import { awaitResult, type StartedRow } from '../payments/await-payment.ts'
import { createCallsInProgress } from '../payments/calls-in-progress.ts'
import { driveRow, type DrivenId, type DriveOptions } from '../payments/drive-row.ts'
import { takeSetupLease } from '../payments/payment-lease.ts'
import type { RowKind } from '../payments/row-kind.ts'
import { PaymentSetup } from './payment-setup.ts'
import { lockForSetup, settleSetup, type LockedForSetup } from './settle-setup.ts'

/** How setups are locked and settled. */
export const setups: RowKind<PaymentSetup, LockedForSetup> = {
  kind: 'setup',
  name: 'payment-setup',
  job: settleDueSetupsJobName,
  idField: 'payment_setup_id',
  takeLease: takeSetupLease,
  lockRow: (em, id) => em.findOneOrFail(PaymentSetup, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE }),
  lockForSettlement: lockForSetup,
  watch: () => async () => {},
  settle: settleSetup,
}

/** Makes the calls that a setup needs until it waits for something. See `driveRow`. */
export function driveSetup(driven: DrivenId, options: DriveOptions): Promise<void> {
  return driveRow(setups, driven, options)
}

/** Setups that this process drives. */
export const setupsInProgress = createCallsInProgress(100)

/**
 * Drives a setup until it has a first result, at most `CONFIRM_WAIT_MS`; calls that are still in progress then continue. Returns the setup as
 * it is stored.
 */
export async function awaitSetup(started: StartedRow, context: FinishContext): Promise<PaymentSetup> {
  await awaitResult(started, { context, drive: driveSetup, inProgress: setupsInProgress })
  return context.transaction(started.organizationId, ({ em }) => em.findOneOrFail(PaymentSetup, started.id))
}
