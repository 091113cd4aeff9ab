import { ResourceNotFound } from '@quittance/contracts/errors'
import { InvalidSignature, receiveProviderEvent as contract } from '@quittance/contracts/provider-events'
import { systemCommand } from '@quittance/runtime/system-handler'
import { readProviderEventsJobName } from '../job-names.ts'
import { openCredentials, type SealedAccount } from '../providers/account-credentials.ts'
import { findAccountAdapter } from '../providers/account-adapters.ts'
import type { Hint } from '../providers/provider.ts'

interface ReceivingAccount extends SealedAccount {
  organization_id: string
  provider: string
}

const find = `
  select id, organization_id, provider, mode, provider_account, credentials_sealed, webhook_secrets_sealed,
    settings->>'webhook_secret_added_at' as webhook_secret_added_at
  from payment_accounts where id = :id and status <> 'disabled'`

const insert = `
  insert into provider_events (organization_id, payment_account_id, provider_event, type, object_kind, object, source, occurred_at, next_try_at)
  values (:organization_id, :account, :event, :type, :kind, :object, 'push', :occurred_at, now())
  on conflict on constraint provider_events_once do nothing`

/**
 * Stores which object an event is about, once per event; a job reads the object. Nothing of its content is used or kept, and no call is made.
 */
export const receiveProviderEvent = systemCommand(
  contract,
  { reason: 'the path names the account, and the signature authenticates the event' },
  async ({ id, headers, body }, { systemSql, now, wake }) => {
    const [account] = await systemSql<ReceivingAccount>('payment-account.of-event', find, { id })
    if (!account) throw new ResourceNotFound()
    const hint = verifyEvent(account, { body: Buffer.from(body, 'base64'), headers, now })
    if (hint === null) throw new InvalidSignature('The event is not signed with a secret of this account, or its signature is too old.')
    if (hint === 'not_ours') return { received: true as const }
    await systemSql('provider-event.insert', insert, {
      organization_id: account.organization_id,
      account: account.id,
      event: hint.event,
      type: hint.type,
      kind: hint.object.kind,
      object: hint.object.theirs,
      occurred_at: hint.occurredAt,
    })
    wake(readProviderEventsJobName)
    return { received: true as const }
  },
)

/** Bytes and headers as the provider sent them. */
interface ReceivedEvent {
  body: Buffer
  headers: Readonly<Record<string, string>>
  now: Date
}

/** Authenticates an event with the secrets of one account; null if none of them signed it. */
function verifyEvent(account: ReceivingAccount, { body, headers, now }: ReceivedEvent): Hint | 'not_ours' | null {
  const adapter = findAccountAdapter(account.provider)
  if (!adapter || account.webhook_secrets_sealed.length === 0) return null
  return adapter.open(openCredentials(account, now)).parseWebhook(body, headers, now)
}
