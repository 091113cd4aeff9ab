import { NotPermitted } from '@quittance/contracts/errors'
import { openSecret, sealSecret } from '@quittance/runtime/encryption'
import { createResealJob } from '@quittance/runtime/reseal-secrets'
import { config } from '../config.ts'
import type { AccountCredentials } from './account-adapters.ts'
import type { Mode } from './provider.ts'

/** How long the previous webhook secret is accepted beside a new one. */
const secretOverlapMs = 24 * 3_600_000

/** Columns of an account with its sealed credentials. */
export interface SealedAccount {
  id: string
  mode: Mode
  provider_account: string | null
  credentials_sealed: string | null
  webhook_secrets_sealed: readonly string[]
  webhook_secret_added_at: string | null
}

/** Returns the keys that seal credentials. */
export function requireSecretKeys(): readonly Uint8Array[] {
  const { SECRETS_KEY: keys } = config()
  if (keys) return keys
  throw new NotPermitted('This installation cannot store credentials: SECRETS_KEY is not set.')
}

/** Seals a credential for one account: under the id of another it cannot be opened. */
export function sealCredential(secret: string, accountId: string): { sealed: string; last4: string } {
  return { sealed: sealSecret(secret, { keys: requireSecretKeys(), context: accountId }), last4: secret.slice(-4) }
}

/** Opens the credentials of an account. The previous webhook secret is left out once its time has passed. */
export function openCredentials(account: SealedAccount, now: Date): AccountCredentials {
  const options = { keys: requireSecretKeys(), context: account.id }
  const addedAt = account.webhook_secret_added_at ? Date.parse(account.webhook_secret_added_at) : 0
  const accepted = now.getTime() - addedAt < secretOverlapMs ? 2 : 1
  return {
    account: account.provider_account ?? '',
    mode: account.mode,
    apiKey: account.credentials_sealed === null ? '' : openSecret(account.credentials_sealed, options),
    webhookSecrets: account.webhook_secrets_sealed.slice(0, accepted).map((sealed) => openSecret(sealed, options)),
  }
}

/** Whether a sealed credential of an account is this one. */
export function isSameCredential(sealed: string | undefined, { secret, accountId }: { secret: string; accountId: string }): boolean {
  return sealed !== undefined && openSecret(sealed, { keys: requireSecretKeys(), context: accountId }) === secret
}

const sealedAccount = {
  table: 'payment_accounts',
  key: ['id', 'uuid'],
  contextOn: 'id',
  context: (id: string) => id,
} as const

/** Seals credentials of payment accounts again after a change of SECRETS_KEY. */
export const resealCredentials = createResealJob({
  getKeys: () => config().SECRETS_KEY,
  columns: [
    { ...sealedAccount, column: 'credentials_sealed', type: 'text' },
    { ...sealedAccount, column: 'webhook_secrets_sealed', type: 'text[]' },
  ],
})
