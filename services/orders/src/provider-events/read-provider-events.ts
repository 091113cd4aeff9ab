import { job, type JobContext } from '@quittance/runtime/handler'
import { readProviderEventsJobName, settleDuePaymentsJobName } from '../job-names.ts'
import type { Hint } from '../providers/provider.ts'

interface DueEvent {
  id: string
  payment_account_id: string
  object_kind: Hint['object']['kind']
  object: string
  attempts: number
}

const batch = 50

const claim = `
  update provider_events set leased_until = now() + :lease * interval '1 millisecond', attempts = attempts + 1
  where id in (
    select id from provider_events
    where handled_at is null and next_try_at <= now() and (leased_until is null or leased_until <= now())
    order by next_try_at limit ${batch} for update skip locked)
  returning id, payment_account_id, object_kind, object, attempts`

/** The row of the object is checked now: its check reads the object at the provider. */
const wakePayment = `
  with found as (
    select id, is_open from payments where payment_account_id = :account and provider_payment = :object for update),
  woken as (update payments set next_check_at = now() where id in (select id from found where is_open) returning id)
  select exists (select from found) as is_known, exists (select from woken) as is_woken`

const wakeSetup = `
  with found as (
    select id, settled_at is null as is_open from payment_setups where payment_account_id = :account and provider_setup = :object for update),
  woken as (update payment_setups set next_check_at = now() where id in (select id from found where is_open) returning id)
  select exists (select from found) as is_known, exists (select from woken) as is_woken`

interface WokenRow {
  is_known: boolean
  is_woken: boolean
}

/** Rows of a real account are changed by this release only. */
const asThisRelease = `select set_config('quittance.payments', 'port', true)`

const finish = `update provider_events set handled_at = now(), leased_until = null, next_try_at = null, outcome = :outcome where id = :id`
const postpone = `
  update provider_events set leased_until = null, next_try_at = now() + :wait * interval '1 millisecond' where id = :id`

/** The row of an object may be committed after the event arrives. After the last of these it belongs to another user of the account. */
const unknownRowDelaysMs = [1_000, 10_000, 60_000, 600_000, 3_600_000]
const dayMs = 86_400_000

/**
 * Handles events in any order and number: each only lets the row of its object be checked at once. Events about rows that are settled, and about
 * refunds, disputes, methods and mandates are kept, and read once something handles them.
 */
export const readProviderEvents = job({
  name: readProviderEventsJobName,
  everyMs: 1_000,
  async run(context) {
    const due = await context.systemSql<DueEvent>('provider-events.claim', claim, { lease: context.leaseMs })
    for (const event of due) await handle(event, context)
    return due.length === batch
  },
})

async function handle(event: DueEvent, { systemTransaction, log }: JobContext): Promise<void> {
  const { id, payment_account_id: account, object_kind: kind, object, attempts } = event
  try {
    await systemTransaction(async ({ systemSql, wake }) => {
      if (kind !== 'charge' && kind !== 'setup') return void (await systemSql('provider-event.postpone', postpone, { id, wait: dayMs }))
      await systemSql('provider-events.as-this-release', asThisRelease, {})
      const [row] =
        kind === 'charge'
          ? await systemSql<WokenRow>('provider-event.wake-payment', wakePayment, { account, object })
          : await systemSql<WokenRow>('provider-event.wake-setup', wakeSetup, { account, object })
      const wait = row?.is_known ? dayMs : unknownRowDelaysMs[attempts - 1]
      if (row?.is_woken) wake(settleDuePaymentsJobName)
      if (row?.is_woken || wait === undefined)
        await systemSql('provider-event.finish', finish, { id, outcome: row?.is_woken ? 'checked' : 'not_ours' })
      else await systemSql('provider-event.postpone', postpone, { id, wait })
    })
  } catch (error) {
    log.error({ err: error, provider_event_id: id }, 'provider-event.not-handled')
  }
}
