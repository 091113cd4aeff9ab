import type { Caller } from '@quittance/contracts/caller'
import { NotPermitted, TooManyRequests, Unauthorized } from '@quittance/contracts/errors'
import type { Rows } from '@quittance/runtime/handler'
import { ownPerson } from '../accounts/own-person.ts'
import { config } from '../config.ts'

/** Registrations by nobody that are accepted in an hour, over all. */
const anonymousPerHour = 100

const lock = `select pg_advisory_xact_lock(hashtext('clients registered by nobody'))`

const recent = `
  select count(*)::int as count, ceil(extract(epoch from min(created_at) + interval '1 hour' - now()))::int as retry_after
  from clients where account_id is null and not is_trusted and created_at > now() - interval '1 hour'`

/** Who registers: an account, or null for nobody where the operator has opened registration to everybody. */
export async function admitRegistration(caller: Caller, rows: Rows): Promise<string | null> {
  const policy = config().CLIENT_REGISTRATION
  if (policy === 'off') throw new NotPermitted('Clients are registered by the operator only.')
  if (caller.kind !== 'anonymous') return ownPerson(caller).userId
  if (policy === 'accounts') throw new Unauthorized('Clients are registered with a personal access token.')
  // Requests at the same moment would all see room for one more.
  await rows('client.lock-anonymous', lock)
  const [seen] = await rows<{ count: number; retry_after: number | null }>('client.count-anonymous', recent)
  if (!seen || seen.count < anonymousPerHour) return null
  throw new TooManyRequests('Too many clients were registered without an account. Try again later.', Math.max(1, seen.retry_after ?? 1))
}
