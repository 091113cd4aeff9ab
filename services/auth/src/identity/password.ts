import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import type { SystemSql } from '@quittance/sql/sql-runner'
import { config } from '../config.ts'

/** Block size and parallelization; N is a setting. OWASP recommends N = 2^15 with these: 32 MiB, and a few tenths of a second. */
const fixedCost = { r: 8, p: 3 }
const keyBytes = 32

/** Hashes a password in the form `scrypt$N$r$p$salt$key`: an old hash stays valid when the cost changes. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const cost = { N: 2 ** config().PASSWORD_HASH_COST, ...fixedCost }
  const key = await derive(password, { salt, ...cost, isFirst: true })
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), key.toString('base64url')].join('$')
}

/** Whether the hash has another cost than new ones. */
export function isOutdatedHash(hash: string): boolean {
  return !hash.startsWith(`scrypt$${2 ** config().PASSWORD_HASH_COST}$${fixedCost.r}$${fixedCost.p}$`)
}

/**
 * Compares in constant time. With `isFirst` it is done before all others that wait: a flood of wrong passwords must not keep out users who
 * are known.
 */
export async function verifyPassword(password: string, hash: string, { isFirst = false } = {}): Promise<boolean> {
  const [scheme, n, r, parallel, salt, key] = hash.split('$')
  if (scheme !== 'scrypt' || !salt || !key) return false
  const derived = await derive(password, { salt: Buffer.from(salt, 'base64url'), N: Number(n), r: Number(r), p: Number(parallel), isFirst })
  const expected = Buffer.from(key, 'base64url')
  return derived.length === expected.length && timingSafeEqual(derived, expected)
}

const lockUnchanged = `
  select 1 from accounts where id = :id and password_changed_at is not distinct from :changed_at::timestamptz for no key update`

/**
 * Returns whether the password is the one of the account when it had this `password_changed_at`. Waits for a change in progress; within a
 * transaction, later ones wait for its end. Hashing takes seconds when many wait for it: enough for a reset to complete.
 */
export async function isPasswordUnchanged(
  systemSql: SystemSql,
  { accountId, changedAt }: { accountId: string; changedAt: string | null },
): Promise<boolean> {
  return (await systemSql('password.lock-unchanged', lockUnchanged, { id: accountId, changed_at: changedAt })).length > 0
}

/** Limits concurrent hashing. Node has four threads for it, which other work needs too, for example connecting to PostgreSQL. */
let freeTurns = 2
const waiting = { first: [] as (() => void)[], others: [] as (() => void)[] }

async function inTurn<T>(isFirst: boolean, work: () => Promise<T>): Promise<T> {
  if (freeTurns > 0) freeTurns -= 1
  else await new Promise<void>((resolve) => void waiting[isFirst ? 'first' : 'others'].push(resolve))
  try {
    return await work()
  } finally {
    const next = waiting.first.shift() ?? waiting.others.shift()
    if (next) next()
    else freeTurns += 1
  }
}

interface Derivation {
  salt: Buffer
  N: number
  r: number
  p: number
  isFirst: boolean
}

function derive(password: string, { salt, isFirst, ...cost }: Derivation): Promise<Buffer> {
  // Node accepts at most what the parameters need.
  const options = { ...cost, maxmem: 256 * cost.N * cost.r }
  const work = () =>
    new Promise<Buffer>((resolve, reject) => {
      scrypt(password.normalize('NFKC'), salt, keyBytes, options, (error, key) => (error ? reject(error) : resolve(key)))
    })
  return inTurn(isFirst, work)
}
