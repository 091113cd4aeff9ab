import { RequestValidationError, ResourceNotFound } from '@quittance/contracts/errors'
import { replayProviderEvents as contract } from '@quittance/contracts/payment-operations'
import { systemCommand } from '@quittance/runtime/system-handler'
import { catchUpProviderEventsJobName, readProviderEventsJobName } from '../job-names.ts'
import { requireOperator } from '../payment-operations/payment-operations.ts'

/** The provider lists events of this time. */
const maxAgeMs = 30 * 86_400_000

const rewind = `
  update payment_accounts set settings = settings - 'caught_up_at', events_cursor = least(coalesce(events_cursor, now()), :since::timestamptz)
  where id = :id returning id`

const replay = `
  with replayed as (
    update provider_events set handled_at = null, outcome = null, attempts = 0, leased_until = null, next_try_at = now(), source = 'replay'
    where payment_account_id = :id and handled_at is not null and occurred_at >= :since returning 1)
  select count(*)::int as replayed from replayed`

/** Each event only leads to a read of its object, so that a replay changes nothing that is recorded already. */
export const replayProviderEvents = systemCommand(
  contract,
  { reason: 'the operator replays the events of any account' },
  async ({ account_id: id, since }, { systemSql, caller, now, wake }) => {
    requireOperator(caller)
    if (Date.parse(since) < now.getTime() - maxAgeMs) throw RequestValidationError.field(['since'], 'Must be within the last 30 days.')
    const [account] = await systemSql<{ id: string }>('payment-account.rewind-events', rewind, { id, since })
    if (!account) throw new ResourceNotFound()
    const [count] = await systemSql<{ replayed: number }>('provider-events.replay', replay, { id, since })
    wake(readProviderEventsJobName, catchUpProviderEventsJobName)
    return { account_id: id, replayed: count?.replayed ?? 0 }
  },
)
