import { openSecret, sealSecret } from '@quittance/runtime/encryption'
import type { SystemSql } from '@quittance/sql/sql-runner'
import { Secret, TOTP } from 'otpauth'

/** Accepted steps of 30 seconds before and after now (RFC 6238 §5.2): clocks may be off, and users type slowly. */
const window = 1

/** Parameters that every authenticator app supports; some ignore other values (RFC 6238 §1.2). */
const parameters = { algorithm: 'SHA1', digits: 6, period: 30 } as const

/** Generates a secret in base 32: 160 bits, as RFC 4226 §4 recommends. */
export function generateTotpSecret(): string {
  return new Secret({ size: 20 }).base32
}

/** Builds the `otpauth:` URI that an authenticator app reads from a QR code. */
export function totpUri({ secret, email, issuer }: { secret: string; email: string; issuer: string }): string {
  return new TOTP({ ...parameters, secret: Secret.fromBase32(secret), issuer, label: email }).toString()
}

/** Returns the time step of a code; null if it matches none of the accepted steps. */
export function totpStep(secret: string, { code, now }: { code: string; now: number }): number | null {
  const totp = new TOTP({ ...parameters, secret: Secret.fromBase32(secret) })
  const delta = totp.validate({ token: code, timestamp: now, window })
  return delta === null ? null : totp.counter({ timestamp: now }) + delta
}

interface Store {
  systemSql: SystemSql
  /** Keys of SECRETS_KEY. */
  secrets: readonly Uint8Array[]
}

/** Context that the secret of an account is sealed with. */
export const totpContext = (accountId: string) => `totp ${accountId}`

const insert = `
  insert into totp_secrets (account_id, secret_sealed, last_step) values (:account_id, :secret_sealed, :step)
  on conflict (account_id) do nothing returning 1`

/** Stores a secret after its first valid code, which counts as used. Returns false if the account already has a secret. */
export async function storeTotp(
  { systemSql, secrets }: Store,
  { accountId, secret, step }: { accountId: string; secret: string; step: number },
): Promise<boolean> {
  const secret_sealed = sealSecret(secret, { keys: secrets, context: totpContext(accountId) })
  return (await systemSql('totp.insert', insert, { account_id: accountId, secret_sealed, step })).length > 0
}

const find = `select secret_sealed from totp_secrets where account_id = :account_id`

/** RFC 6238 §5.2: a code is accepted once. Of two requests with the same code one wins, and earlier steps become invalid. */
const use = `update totp_secrets set last_step = :step where account_id = :account_id and last_step < :step returning 1`

/** Returns whether a code is valid and unused, and marks it used. */
export async function useTotp({ systemSql, secrets }: Store, { accountId, code }: { accountId: string; code: string }): Promise<boolean> {
  const [found] = await systemSql<{ secret_sealed: string }>('totp.find', find, { account_id: accountId })
  if (!found) return false
  const secret = openSecret(found.secret_sealed, { keys: secrets, context: totpContext(accountId) })
  const step = totpStep(secret, { code, now: Date.now() })
  return step !== null && (await systemSql('totp.use', use, { account_id: accountId, step })).length > 0
}

export async function removeTotp(systemSql: SystemSql, accountId: string): Promise<void> {
  await systemSql('totp.remove', `delete from totp_secrets where account_id = :account_id`, { account_id: accountId })
}
