import { createHash } from 'node:crypto'
import type { SystemSql } from '@quittance/sql/sql-runner'
import { hashPassword, isOutdatedHash, isPasswordUnchanged, verifyPassword } from '../identity/password.ts'
import type { AttemptLimiter } from './attempt-limits.ts'

export interface SignInAttempt {
  email: string
  password: string
  /** Address of the browser. */
  ip: string
  /** Hash of its device cookie, see `readDeviceHash`. */
  device: string | null
}

export type SignInOutcome =
  /** `changedAt`: when the password was set, see `isPasswordUnchanged`. */
  { kind: 'matched'; accountId: string; changedAt: string | null } | { kind: 'wrong' } | { kind: 'throttled'; retryAfterSeconds: number }

/** Finds the account for an e-mail address and a password. */
export type SignIn = (attempt: SignInAttempt) => Promise<SignInOutcome>

/** The address as the database compares it: two spellings of one account must not be counted apart. */
const find = `
  select entered.address, a.id, a.password_hash, to_json(a.password_changed_at)#>>'{}' as changed_at, d.device_hash
  from (select lower(:email::text) as address) entered
  left join accounts a on lower(a.email) = entered.address
  left join known_devices d on d.account_id = a.id and d.device_hash = :device`

const replaceHash = `update accounts set password_hash = :fresh where id = :id and password_hash = :outdated`

interface Found {
  address: string
  /** Null with `password_hash` if no account has the address. */
  id: string | null
  password_hash: string | null
  changed_at: string | null
  device_hash: string | null
}

/**
 * Attempts of unknown browsers in progress. More would wait for their turn to be hashed until the gateway gives up; addresses to count them
 * under cost an attacker nothing.
 */
const maxUnknownAttempts = 64
const retryAfterSeconds = 10

/** An unknown e-mail address and a wrong password get the same reply after the same work. */
export function createSignIn(systemSql: SystemSql, admitAttempt: AttemptLimiter): SignIn {
  // Hash of no password; comparing with it takes as long as with a real one.
  const decoy = hashPassword(createHash('sha256').update(String(performance.now())).digest('hex'))
  let unknownAttempts = 0

  async function check({ address, ...found }: Found, { password, ip }: SignInAttempt): Promise<SignInOutcome> {
    const { id, password_hash: known, changed_at: changedAt, device_hash: knownDevice } = found
    const admission = await admitAttempt('password', { account: address, ip, knownDevice })
    if (admission.rejected) return { kind: 'throttled', retryAfterSeconds: admission.retryAfterSeconds }
    const matches = await verifyPassword(password, known ?? (await decoy), { isFirst: knownDevice !== null })
    if (id === null || known === null || !matches) return { kind: 'wrong' }
    if (!(await isPasswordUnchanged(systemSql, { accountId: id, changedAt }))) return { kind: 'wrong' }
    await admission.succeeded()
    await updateHash(systemSql, { id, outdated: known }, password)
    return { kind: 'matched', accountId: id, changedAt }
  }

  async function asUnknown(work: () => Promise<SignInOutcome>): Promise<SignInOutcome> {
    if (unknownAttempts >= maxUnknownAttempts) return { kind: 'throttled', retryAfterSeconds }
    unknownAttempts += 1
    return work().finally(() => (unknownAttempts -= 1))
  }

  async function findAccount({ email, device }: SignInAttempt): Promise<Found> {
    const [found] = await systemSql<Found>('sign-in.find', find, { email: email.trim(), device })
    return found as Found
  }

  return async (attempt) => {
    if (attempt.device === null) return asUnknown(async () => check(await findAccount(attempt), attempt))
    const found = await findAccount(attempt)
    return found.device_hash === null ? asUnknown(() => check(found, attempt)) : check(found, attempt)
  }
}

/** Old hashes would otherwise cost another time than the one of no account, and show which addresses have one. */
async function updateHash(systemSql: SystemSql, { id, outdated }: { id: string; outdated: string }, password: string): Promise<void> {
  if (isOutdatedHash(outdated)) await systemSql('sign-in.replace-hash', replaceHash, { id, outdated, fresh: await hashPassword(password) })
}
