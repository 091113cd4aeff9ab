import { createHash } from 'node:crypto'
import type { SystemSql } from '@quittance/sql/sql-runner'
import { hashPassword, isOutdatedHash, verifyPassword } from '../identity/password.ts'
import type { AttemptLimiter } from './attempt-limits.ts'

export interface SignInAttempt {
  email: string
  password: string
  /** Address of the browser. */
  ip: string
  /** Hash of its device cookie, see `readDeviceHash`. */
  device: string | null
}

export type SignInOutcome = { kind: 'matched'; accountId: string } | { kind: 'wrong' } | { kind: 'throttled'; retryAfterSeconds: number }

/** Finds the account for an e-mail address and a password. */
export type SignIn = (attempt: SignInAttempt) => Promise<SignInOutcome>

const find = `
  select a.id, a.password_hash, d.device_hash from accounts a
  left join known_devices d on d.account_id = a.id and d.device_hash = :device
  where lower(a.email) = lower(:email)`

const replaceHash = `update accounts set password_hash = :fresh where id = :id and password_hash = :outdated`

interface Found {
  id: string
  password_hash: string
  device_hash: string | null
}

/** An unknown e-mail address and a wrong password get the same reply after the same work. */
export function createSignIn(systemSql: SystemSql, admitAttempt: AttemptLimiter): SignIn {
  // Hash of no password; comparing with it takes as long as with a real one.
  const decoy = hashPassword(createHash('sha256').update(String(performance.now())).digest('hex'))
  return async ({ email, password, ip, device }) => {
    const [account] = await systemSql<Found>('sign-in.find', find, { email: email.trim(), device })
    const admission = await admitAttempt('password', { account: email, ip, knownDevice: account?.device_hash ?? null })
    if (admission.rejected) return { kind: 'throttled', retryAfterSeconds: admission.retryAfterSeconds }
    const matches = await verifyPassword(password, account?.password_hash ?? (await decoy))
    if (!account || !matches) return { kind: 'wrong' }
    await admission.succeeded()
    await updateHash(systemSql, account, password)
    return { kind: 'matched', accountId: account.id }
  }
}

/** Old hashes would otherwise cost another time than the one of no account, and show which addresses have one. */
async function updateHash(systemSql: SystemSql, { id, password_hash: outdated }: Found, password: string): Promise<void> {
  if (isOutdatedHash(outdated)) await systemSql('sign-in.replace-hash', replaceHash, { id, outdated, fresh: await hashPassword(password) })
}
