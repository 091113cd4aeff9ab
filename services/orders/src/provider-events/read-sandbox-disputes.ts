import { job, type JobContext } from '@quittance/runtime/handler'
import { config } from '../config.ts'
import { readFoundObject } from './read-found-object.ts'

interface DueDispute {
  id: string
  organization_id: string
}

const batch = 20

/** The lease ends before the next read. A dispute is read once its payment is settled, which stores the method that it blocks. */
const claim = `
  update sandbox_objects set event_due_at = now() + interval '1 minute'
  where id = any (array(
    select s.id from sandbox_objects s join payments p on p.id = s.ours and p.settled_at is not null
    where s.event_due_at <= now() order by s.event_due_at limit ${batch} for update of s skip locked))
  returning id, organization_id`

/** A dispute that is not decided yet is read again when it is; a lost one is found by the daily check of disputes. */
const finish = `
  update sandbox_objects set event_due_at = case when token = 'ctoken_dispute_won' and status = 'processing'
    then submitted_at + :won_after * interval '1 millisecond' end
  where id = :id`

/** Reads the disputes of the sandbox when they change: it has no events. */
export const readSandboxDisputes = job({
  name: 'read-sandbox-disputes',
  everyMs: 5_000,
  async run(context) {
    if (config().SANDBOX_PAYMENTS !== 'on') return false
    const due = await context.systemSql<DueDispute>('sandbox-disputes.claim', claim, {})
    await Promise.all(due.map((dispute) => read(dispute, context)))
    return due.length === batch
  },
})

async function read({ id, organization_id: organizationId }: DueDispute, context: JobContext): Promise<void> {
  try {
    const outcome = await readFoundObject({ organizationId, paymentAccountId: null, kind: 'dispute', theirs: id }, context)
    if (outcome === 'later') return
    const wonAfter = config().SANDBOX_SLOW_PAYMENT_MS
    await context.systemTransaction(({ systemSql }) => systemSql('sandbox-disputes.finish', finish, { id, won_after: wonAfter }))
  } catch (error) {
    context.log.error({ err: error, provider_dispute: id }, 'sandbox-dispute.not-read')
  }
}
