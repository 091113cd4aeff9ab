import { job } from '@quittance/runtime/handler'
import { createCallsInProgress } from '../payments/calls-in-progress.ts'
import { checkDueRefundsJobName } from '../job-names.ts'
import { selectInTurn } from '../organizations/select-in-turn.ts'
import { driveRefund } from './drive-refund.ts'

interface DueRefund {
  id: string
  organization_id: string
  payment_account_id: string | null
  lease: string
}

/** Refunds of release 0.1.0 are taken over: without `due_at` it does not claim those that were made. */
const claim = `
  update refunds set leased_until = now() + :lease * interval '1 millisecond', due_at = null
  where id = any (array(${selectInTurn({
    table: 'refunds',
    dueColumn: 'next_check_at',
    isWaiting: 'next_check_at is not null',
    isFree: `(leased_until is null or leased_until <= now())
      and not exists (select from payments p join payment_accounts a on a.id = p.payment_account_id
        where p.id = refunds.payment_id and (a.paused_until > now() or a.id = any (:busy::uuid[])))`,
    limit: ':limit',
  })}))
  returning id, organization_id, leased_until::text as lease,
    (select payment_account_id from payments p where p.id = refunds.payment_id) as payment_account_id`

const batch = 20

/** Refunds that this process drives. */
export const refundsInProgress = createCallsInProgress(5 * batch)

/**
 * Submits recorded refunds without a result and checks whether others are final, each independently. If a replica dies in between, its
 * lease expires.
 */
export const checkDueRefunds = job({
  name: checkDueRefundsJobName,
  everyMs: 1_000,
  async run(context) {
    const limit = Math.min(batch, refundsInProgress.free())
    if (limit === 0) return false
    const due = await context.systemSql<DueRefund>('refunds.claim', claim, {
      lease: context.leaseMs,
      limit,
      busy: refundsInProgress.findBusyAccounts(),
    })
    for (const { id, organization_id: organizationId, payment_account_id: accountId, lease } of due)
      void refundsInProgress.run(id, () => driveRefund({ id, organizationId, lease }, context), accountId)
    return due.length === limit
  },
})
