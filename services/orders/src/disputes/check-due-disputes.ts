import { job, type JobContext } from '@quittance/runtime/handler'
import { selectInTurn } from '../organizations/select-in-turn.ts'
import { callWithDeadline, createCallsInProgress } from '../payments/calls-in-progress.ts'
import { findEndOfPause } from '../payments/pause-account.ts'
import { loadProviderAccount } from '../payments/provider-account.ts'
import { openProvider } from '../providers/provider-of.ts'
import { recordDispute } from './record-dispute.ts'

interface DueDispute {
  id: string
  organization_id: string
  /** Null for the sandbox. */
  payment_account_id: string | null
  provider_dispute: string
}

const batch = 20

/** The next check is set with the claim: a read without an answer is repeated then. Disputes of a paused account wait for the end of the pause. */
const claim = `
  update disputes set leased_until = now() + :lease * interval '1 millisecond', next_check_at = now() + interval '1 day'
  where id = any (array(${selectInTurn({
    table: 'disputes',
    dueColumn: 'next_check_at',
    isWaiting: 'next_check_at is not null',
    isFree: `(leased_until is null or leased_until <= now()) and (payment_account_id is null or payment_account_id <> all (:busy::uuid[]))
      and not exists (select from payment_accounts a where a.id = payment_account_id and a.paused_until > now())`,
    limit: ':limit',
  })}))
  returning id, organization_id, payment_account_id, provider_dispute`

/** Disputes that this process reads. */
export const disputesInProgress = createCallsInProgress(2 * batch)

/** Reads disputes that are not over once a day, because an event can be lost. */
export const checkDueDisputes = job({
  name: 'check-due-disputes',
  everyMs: 60_000,
  async run(context) {
    const limit = Math.min(batch, disputesInProgress.free())
    if (limit === 0) return false
    const busy = disputesInProgress.findBusyAccounts()
    const due = await context.systemSql<DueDispute>('disputes.claim', claim, { lease: context.leaseMs, limit, busy })
    for (const dispute of due) void disputesInProgress.run(dispute.id, () => check(dispute, context), dispute.payment_account_id)
    return due.length === limit
  },
})

async function check({ id, organization_id: organizationId, ...dispute }: DueDispute, context: JobContext): Promise<void> {
  const paymentAccountId = dispute.payment_account_id
  try {
    const account = await context.transaction(organizationId, ({ sql }) => loadProviderAccount(sql, { paymentAccountId, organizationId }))
    const provider = openProvider(account, context)
    const readAt = new Date()
    if (!provider || findEndOfPause(account, { now: readAt, random: 0 })) return
    const answer = await callWithDeadline(context.leaseMs, () => provider.readDispute(dispute.provider_dispute))
    if (!('got' in answer)) return context.log.warn({ dispute_id: id }, 'dispute.answer-unknown')
    await context.transaction(organizationId, (transaction) => recordDispute(transaction, { account, seen: answer.got, readAt }))
  } catch (error) {
    context.log.error({ err: error, dispute_id: id }, 'dispute.not-checked')
  }
}
