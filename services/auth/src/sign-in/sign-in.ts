import { createHash } from 'node:crypto'
import type { Database } from '@quittance/runtime/database'
import { rowsWith } from '@quittance/runtime/transaction'
import { RateLimiterPostgres, type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible'
import { hashPassword, matchesPassword } from '../accounts/password.ts'

export interface Attempt {
  email: string
  password: string
  /** Address of the browser. */
  ip: string
}

export type Outcome = { kind: 'signed-in'; accountId: string } | { kind: 'wrong' } | { kind: 'throttled'; retryAfterSeconds: number }

/** Tells who somebody is by e-mail and password. */
export type SignIn = (attempt: Attempt) => Promise<Outcome>

/** Failures within 15 minutes. An office behind one address has many people; an account has one. */
const windowSeconds = 15 * 60
const failuresPerAccount = 10
const failuresPerAddress = 100

const find = `select id, password_hash from accounts where lower(email) = lower(:email)`

/**
 * An unknown e-mail address and a wrong password are the same answer after the same work. Every attempt counts before it is
 * checked, so attempts at the same time count too; a success gives it back. Counted in the database, for all replicas together.
 */
export function createSignIn(database: Database): SignIn {
  const rows = rowsWith(database.execute)
  const limiters = [limiter(database, 'account', failuresPerAccount), limiter(database, 'ip', failuresPerAddress)]
  // Of no password; comparing with it takes as long as with a real one.
  const decoy = hashPassword(createHash('sha256').update(String(performance.now())).digest('hex'))
  return async ({ email, password, ip }) => {
    const keys = [createHash('sha256').update(email.trim().toLowerCase()).digest('hex'), ip]
    const refused = await firstRefusal(limiters, keys)
    if (refused) return { kind: 'throttled', retryAfterSeconds: Math.max(1, Math.ceil(refused.msBeforeNext / 1000)) }
    const [account] = await rows<{ id: string; password_hash: string }>('sign-in.find', find, { email: email.trim() })
    const matches = await matchesPassword(password, account?.password_hash ?? (await decoy))
    if (!account || !matches) return { kind: 'wrong' }
    await Promise.all([limiters[0]?.delete(keys[0] as string), limiters[1]?.reward(keys[1] as string)])
    return { kind: 'signed-in', accountId: account.id }
  }
}

function limiter(database: Database, keyPrefix: string, points: number): RateLimiterAbstract {
  return new RateLimiterPostgres({
    storeClient: database.pool,
    tableName: 'sign_in_attempts',
    tableCreated: true,
    clearExpiredByTimeout: false,
    keyPrefix,
    points,
    duration: windowSeconds,
  })
}

async function firstRefusal(limiters: RateLimiterAbstract[], keys: string[]): Promise<RateLimiterRes | null> {
  const outcomes = await Promise.allSettled(limiters.map((each, index) => each.consume(keys[index] as string)))
  for (const outcome of outcomes) {
    if (outcome.status === 'fulfilled') continue
    if (outcome.reason instanceof RateLimiterRes) return outcome.reason
    throw outcome.reason
  }
  return null
}
