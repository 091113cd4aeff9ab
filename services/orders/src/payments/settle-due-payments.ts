import { job } from '@quittance/runtime/handler'
import { settleDuePaymentsJobName } from '../job-names.ts'
import { selectInTurn } from '../organizations/select-in-turn.ts'
import { createCallsInProgress } from './calls-in-progress.ts'
import { drivePayment } from './drive-payment.ts'
import type { DrivenId } from './drive-row.ts'

/** A claimed payment or setup. */
export interface DueRow {
  id: string
  organization_id: string
  payment_account_id: string | null
  lease: string
  traceparent: string | null
}

/** Returns how a claimed row is driven. */
export function toDriven({ id, organization_id: organizationId, lease, traceparent }: DueRow): DrivenId {
  return { id, organizationId, lease, traceparent }
}

/** Returns SQL that locks the rows whose check is due and whose account takes calls. */
export const selectDueChecks = (table: 'payments' | 'payment_setups') =>
  selectInTurn({
    table,
    dueColumn: 'next_check_at',
    isWaiting: 'next_check_at is not null',
    isFree: `(leased_until is null or leased_until <= now())
      and (payment_account_id is null or payment_account_id <> all (:busy::uuid[]))
      and not exists (select from payment_accounts a where a.id = payment_account_id and a.paused_until > now())`,
    limit: ':limit',
  })

/** Payments of release 0.1.0 are taken over: without `due_at` it does not claim them. */
export const claimStatement = `
  update payments set leased_until = now() + :lease * interval '1 millisecond', due_at = null
  where id = any (array(${selectDueChecks('payments')}))
  returning id, organization_id, payment_account_id, leased_until::text as lease, traceparent`

const batch = 20

/** Payments that this process drives. */
export const paymentsInProgress = createCallsInProgress(5 * batch)

/**
 * Drives every payment whose next check is due, each independently: one without an answer delays no other. If a replica dies in between,
 * the lease expires and another continues with the same keys.
 */
export const settleDuePayments = job({
  name: settleDuePaymentsJobName,
  everyMs: 1_000,
  async run(context) {
    const limit = Math.min(batch, paymentsInProgress.free())
    if (limit === 0) return false
    const due = await context.systemSql<DueRow>('payments.claim', claimStatement, {
      lease: context.leaseMs,
      limit,
      busy: paymentsInProgress.findBusyAccounts(),
    })
    for (const row of due) void paymentsInProgress.run(row.id, () => drivePayment(toDriven(row), { context }), row.payment_account_id)
    return due.length === limit
  },
})
