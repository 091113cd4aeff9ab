import { job, type JobContext, type SystemTransaction } from '@quittance/runtime/handler'
import { checkDueRefundsJobName, readProviderEventsJobName, settleDuePaymentsJobName, settleDueSetupsJobName } from '../job-names.ts'
import { selectInTurn } from '../organizations/select-in-turn.ts'
import { createCallsInProgress } from '../payments/calls-in-progress.ts'
import type { Hint } from '../providers/provider.ts'
import { readFoundObject } from './read-found-object.ts'

interface DueEvent {
  id: string
  organization_id: string
  payment_account_id: string
  object_kind: Hint['object']['kind']
  object: string
  attempts: number
}

const batch = 50

/** An account whose provider hangs leaves room for those of others. Events of the listed kinds lead to no call here. */
const isFree = `(leased_until is null or leased_until <= now())
  and (payment_account_id <> all (:busy::uuid[]) or object_kind in ('charge', 'setup', 'mandate'))`
const due = selectInTurn({ table: 'provider_events', dueColumn: 'next_try_at', isWaiting: 'handled_at is null', isFree, limit: ':limit' })
const claim = `
  update provider_events set leased_until = now() + :lease * interval '1 millisecond', attempts = attempts + 1
  where id = any (array(${due}))
  returning id, organization_id, payment_account_id, object_kind, object, attempts`

/** The row of the object is checked now, a settled one too: its check reads the object at the provider. */
const wakePayment = `
  update payments set next_check_at = now(), version = version + 1
  where payment_account_id = :account and provider_payment = :object returning id`
const wakeSetup = `
  update payment_setups set next_check_at = now(), version = version + 1
  where payment_account_id = :account and provider_setup = :object returning id`
const wakeRefund = `
  update refunds r set next_check_at = now(), version = r.version + 1 from payments p
  where r.provider_refund = :object and r.organization_id = :organization and p.id = r.payment_id and p.payment_account_id = :account
  returning r.id`

/** Lets the row of an object be checked now. Returns the rows. */
async function wakeRows({ kind, organization, values }: RowOfObject, { systemSql, wake }: SystemTransaction): Promise<unknown[]> {
  await systemSql('provider-events.as-this-release', asThisRelease, {})
  if (kind === 'charge') {
    wake(settleDuePaymentsJobName)
    return systemSql('provider-event.wake-payment', wakePayment, values)
  }
  if (kind === 'refund') {
    wake(checkDueRefundsJobName)
    return systemSql('provider-event.wake-refund', wakeRefund, { ...values, organization })
  }
  wake(settleDueSetupsJobName)
  return systemSql('provider-event.wake-setup', wakeSetup, values)
}

interface RowOfObject {
  kind: 'charge' | 'refund' | 'setup'
  organization: string
  values: { account: string; object: string }
}

/** Rows of a real account are changed by this release only. */
const asThisRelease = `select set_config('quittance.payments', 'port', true)`

const finish = `update provider_events set handled_at = now(), leased_until = null, next_try_at = null, outcome = :outcome where id = :id`
const postpone = `
  update provider_events set leased_until = null, next_try_at = now() + :wait * interval '1 millisecond' where id = :id`

/** The row of an object may be committed after the event arrives. After the last of these it belongs to another user of the account. */
const unknownRowDelaysMs = [1_000, 10_000, 60_000, 600_000, 3_600_000]
const dayMs = 86_400_000

/** Events that this process handles. */
export const eventsInProgress = createCallsInProgress(2 * batch)

/**
 * Handles events in any order and number: each only lets the row of its object be checked at once. Disputes, methods, and refunds without a
 * row are read here. A mandate is not read: the next payment under a revoked one is declined.
 */
export const readProviderEvents = job({
  name: readProviderEventsJobName,
  everyMs: 1_000,
  async run(context) {
    const limit = Math.min(batch, eventsInProgress.free())
    if (limit === 0) return false
    const busy = eventsInProgress.findBusyAccounts()
    const due = await context.systemSql<DueEvent>('provider-events.claim', claim, { lease: context.leaseMs, limit, busy })
    for (const event of due) void eventsInProgress.run(event.id, () => handle(event, context), event.payment_account_id)
    return due.length === limit
  },
})

async function handle(event: DueEvent, context: JobContext): Promise<void> {
  const { id, attempts } = event
  const { systemTransaction, log } = context
  const reportFailure = (error: unknown): Outcome => {
    log.error({ err: error, provider_event_id: id }, 'provider-event.not-handled')
    return 'later'
  }
  const outcome = await handleObject(event, context).catch(reportFailure)
  const wait = chooseWait(attempts, outcome)
  await systemTransaction(async ({ systemSql }) => {
    if (wait !== null) await systemSql('provider-event.postpone', postpone, { id, wait })
    else await systemSql('provider-event.finish', finish, { id, outcome })
  }).catch(reportFailure)
}

/** `later`: there was no answer, or the handler failed. `not_ours`: there is no row, yet or at all. */
type Outcome = 'checked' | 'not_read' | 'not_ours' | 'later'

async function handleObject(event: DueEvent, context: JobContext): Promise<Outcome> {
  const { object_kind: kind, organization_id: organizationId, payment_account_id: paymentAccountId, object: theirs } = event
  if (kind === 'mandate') return 'not_read'
  if (kind !== 'dispute' && kind !== 'method') {
    const values = { account: paymentAccountId, object: theirs }
    const rows = await context.systemTransaction((transaction) => wakeRows({ kind, organization: organizationId, values }, transaction))
    if (rows.length > 0) return 'checked'
    if (kind !== 'refund') return 'not_ours'
  }
  const outcome = await readFoundObject({ organizationId, paymentAccountId, kind, theirs }, context)
  return outcome === 'recorded' ? 'checked' : outcome
}

/** Null if the event is handled. The row of an object may only be committed soon; what has no answer is read again daily. */
function chooseWait(attempts: number, outcome: Outcome): number | null {
  if (outcome !== 'later' && outcome !== 'not_ours') return null
  return unknownRowDelaysMs[attempts - 1] ?? (outcome === 'later' ? dayMs : null)
}
