import { registerClient as registerClientContract } from '@quittance/contracts/clients'
import type { SystemSql } from '@quittance/sql/sql-runner'
import { systemCommand } from '@quittance/runtime/system-handler'
import { Client, newClient } from './client.ts'
import { readClientMetadata } from './client-metadata.ts'
import { clientView } from './client-view.ts'
import { createNetworkLimit } from './network-limit.ts'
import { createRegistrationToken } from './registration-token.ts'
import { callerNetwork, type Caller } from '@quittance/contracts/caller'
import { NotPermitted, TooManyRequests, Unauthorized } from '@quittance/contracts/errors'
import { requireUser } from '../identity/caller-checks.ts'
import { config } from '../config.ts'

export const registerClient = systemCommand(
  registerClientContract,
  { reason: 'counts the clients that were registered anonymously; clients belong to no organization' },
  async (request, { em, caller, read, systemSql, wake }) => {
    const accountId = await authorizeRegistration(caller, systemSql)
    const { secret, row } = newClient(readClientMetadata(request), { accountId, isTrusted: false })
    const registration = createRegistrationToken(row.clientId)
    em.create(Client, { ...row, ...registration.row })
    const view = await read.one(clientView, { where: 'c.client_id = :client_id', values: { client_id: row.clientId } })
    wake('clients')
    return {
      ...JSON.parse(view),
      ...(secret !== null && { client_secret: secret }),
      registration_access_token: registration.token,
      registration_client_uri: registrationUri(row.clientId),
    }
  },
)

/** Anonymous registrations accepted per hour, in total, and from one network at this replica: it must not use up those of all others. */
const anonymousPerHour = 100
const anonymousPerNetwork = 25
const registrations = createNetworkLimit(anonymousPerNetwork)

const lock = `select pg_advisory_xact_lock(hashtext('clients registered by nobody'))`

const recent = `
  select count(*)::int as count, ceil(extract(epoch from min(created_at) + interval '1 hour' - now()))::int as retry_after
  from clients where account_id is null and not is_trusted and document_expires_at is null and created_at > now() - interval '1 hour'`

/** Returns the account that registers, or null for an anonymous registration if the operator allows it. */
export async function authorizeRegistration(caller: Caller, systemSql: SystemSql): Promise<string | null> {
  const policy = config().CLIENT_REGISTRATION
  if (policy === 'off') throw new NotPermitted('Only the operator can register clients.')
  if (caller.kind !== 'anonymous') return requireUser(caller).userId
  if (policy === 'accounts') throw new Unauthorized('Registering clients requires a personal access token.')
  const network = callerNetwork(caller)
  const waitSeconds = network ? registrations.count(network) : null
  if (waitSeconds !== null)
    throw new TooManyRequests('Too many clients were registered without an account from one network. Try again later.', waitSeconds)
  // Without this lock, concurrent requests would all count one free slot.
  await systemSql('client.lock-anonymous', lock)
  const [seen] = await systemSql<{ count: number; retry_after: number | null }>('client.count-anonymous', recent)
  if (!seen || seen.count < anonymousPerHour) return null
  throw new TooManyRequests('Too many clients were registered without an account. Try again later.', Math.max(1, seen.retry_after ?? 1))
}

/** Returns the URI at which a client is read, changed and deleted (RFC 7592 §3). */
export function registrationUri(clientId: string): string {
  return `${config().BASE_URL}/v1/oauth2/register/${clientId}`
}
