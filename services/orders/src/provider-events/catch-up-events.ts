import { job, type JobContext } from '@quittance/runtime/handler'
import { catchUpProviderEventsJobName, readProviderEventsJobName } from '../job-names.ts'
import { findAccountAdapter } from '../providers/account-adapters.ts'
import { openCredentials, type SealedAccount } from '../providers/account-credentials.ts'
import type { Hint } from '../providers/provider.ts'

interface DueAccount extends SealedAccount {
  organization_id: string
  provider: string
  since: string
  is_too_old: boolean
}

const everyMs = 5 * 60_000
const batch = 20

/** One replica claims an account per interval. The overlap covers events that the provider lists late. */
const claim = `
  update payment_accounts set settings = settings || jsonb_build_object('caught_up_at', now())
  where id in (
    select id from payment_accounts
    where status <> 'disabled' and credentials_sealed is not null and (paused_until is null or paused_until <= now())
      and coalesce((settings->>'caught_up_at')::timestamptz, '-infinity') <= now() - interval '5 minutes'
    order by events_cursor nulls first limit ${batch} for update skip locked)
  returning id, organization_id, provider, mode, provider_account, credentials_sealed, webhook_secrets_sealed,
    settings->>'webhook_secret_added_at' as webhook_secret_added_at,
    to_json(coalesce(events_cursor, created_at) - interval '10 minutes')#>>'{}' as since,
    coalesce(events_cursor, created_at) < now() - interval '30 days' as is_too_old`

const insert = `
  insert into provider_events (organization_id, payment_account_id, provider_event, type, object_kind, object, source, occurred_at, next_try_at)
  select :organization_id::uuid, :account::uuid, e.event, e.type, e.kind, e.object, 'catch_up', e.occurred_at, now()
  from jsonb_to_recordset(:events::jsonb) as e (event text, type text, kind text, object text, occurred_at timestamptz)
  on conflict on constraint provider_events_once do nothing`

const advance = `
  update payment_accounts set events_cursor = greatest(events_cursor, :until::timestamptz) where id = :account`

/** Twice as long as the provider lists them: an event that is listed is known. */
const sweep = `
  delete from provider_events where id in (
    select id from provider_events where received_at < now() - interval '60 days' and handled_at is not null limit 1000)`

/** Lists the events of each account since the last time, so that a lost webhook only delays. The list is the same for repeated runs. */
export const catchUpProviderEvents = job({
  name: catchUpProviderEventsJobName,
  everyMs,
  async run(context) {
    const accounts = await context.systemSql<DueAccount>('provider-events.claim-accounts', claim, {})
    await Promise.all(accounts.map((account) => catchUp(account, context)))
    await context.systemSql('provider-events.sweep', sweep, {})
    return accounts.length === batch
  },
})

async function catchUp(account: DueAccount, { systemTransaction, log, now }: JobContext): Promise<void> {
  const { id, organization_id, provider, since, is_too_old } = account
  const adapter = findAccountAdapter(provider)
  if (!adapter) return
  try {
    // The provider keeps events for 30 days: what is older is found by the checks of open rows only.
    if (is_too_old) log.error({ payment_account_id: id }, 'provider-events.cursor-too-old')
    const answer = await adapter.open(openCredentials(account, now)).eventsSince(new Date(since))
    if (!('got' in answer)) {
      log.warn({ payment_account_id: id, outcome: 'unknown' in answer ? answer.unknown : 'rejected' }, 'provider-events.not-listed')
      return
    }
    const { hints, until } = answer.got
    await systemTransaction(async ({ systemSql, wake }) => {
      const events = JSON.stringify(hints.map(toRow))
      await systemSql('provider-events.insert-missing', insert, { organization_id, account: id, events })
      await systemSql('payment-account.advance-cursor', advance, { account: id, until })
      if (hints.length > 0) wake(readProviderEventsJobName)
    })
  } catch (error) {
    log.error({ err: error, payment_account_id: id }, 'provider-events.catch-up-failed')
  }
}

function toRow({ event, type, object, occurredAt }: Hint) {
  return { event, type, kind: object.kind, object: object.theirs, occurred_at: occurredAt }
}
