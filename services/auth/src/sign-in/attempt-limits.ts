import { createHash } from 'node:crypto'
import { clientNetwork } from '@quittance/runtime/client-network'
import type { Database } from '@quittance/runtime/database'
import { RateLimiterPostgres, type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible'

/** Kind of attempt: an e-mail address with a password, a code or passkey after the password, a passkey alone, a request for a mailed link. */
export type AttemptKind = 'password' | 'second-factor' | 'passkey' | 'password-reset'

/** Source of an attempt. */
export interface AttemptSource {
  /** Identifies the account: the entered e-mail address, or the id. Unknown accounts are counted like known ones. */
  account: string
  /** Address of the browser. */
  ip: string
  /** Hash of the device cookie, if this browser has signed in to this account before; null for any other browser. */
  knownDevice: string | null
}

export type AttemptDecision =
  | { rejected: true; retryAfterSeconds: number }
  /** Call `succeeded` if the attempt was correct; until then it counts as a failure, also while it is being checked. */
  | { rejected: false; succeeded(): Promise<void> }

/** Counts an attempt before it is checked. */
export type AttemptLimiter = (kind: AttemptKind, source: AttemptSource) => Promise<AttemptDecision>

interface Rule {
  /** Failures allowed within `seconds`. */
  points: number
  seconds: number
  key: (source: AttemptSource) => string
  /** A success deletes all failures of the key (`clear`) or only its own attempt (`return`). */
  onSuccess: 'clear' | 'return'
}

const minute = 60
const hour = 60 * minute
const hashed = (text: string) => createHash('sha256').update(text).digest('hex')
const accountKey = ({ account }: AttemptSource) => hashed(account.trim().toLowerCase())
const pairKey = (source: AttemptSource) => hashed(`${accountKey(source)} ${clientNetwork(source.ip)}`)
const networkKey = ({ ip }: AttemptSource) => clientNetwork(ip)
const deviceKey = (source: AttemptSource) => hashed(`${accountKey(source)} ${source.knownDevice}`)

/**
 * Rules in the order of evaluation. The first exceeded one ends the attempt, so attempts of one network beyond its limit do not count
 * against the account.
 */
const rules = {
  // A browser that signed in before has a separate limit, which strangers cannot exhaust (OWASP, "device cookies").
  'known-device': rule({ points: 10, seconds: 15 * minute, key: deviceKey, onSuccess: 'clear' }),
  pair: rule({ points: 10, seconds: 15 * minute, key: pairKey, onSuccess: 'clear' }),
  // Many users may share one address, for example in an office.
  network: rule({ points: 100, seconds: 15 * minute, key: networkKey, onSuccess: 'return' }),
  // Many networks against one account. Not applied to known devices.
  account: rule({ points: 100, seconds: 15 * minute, key: accountKey, onSuccess: 'return' }),
  // The client knows the password here, and a code has a million values: fewer attempts, counted over a longer time.
  'factor-known-device': rule({ points: 10, seconds: hour, key: deviceKey, onSuccess: 'clear' }),
  'factor-pair': rule({ points: 10, seconds: hour, key: pairKey, onSuccess: 'clear' }),
  'factor-account': rule({ points: 30, seconds: 24 * hour, key: accountKey, onSuccess: 'return' }),
  // Each request sends a mail.
  'reset-account': rule({ points: 3, seconds: 15 * minute, key: accountKey, onSuccess: 'return' }),
  'reset-network': rule({ points: 20, seconds: hour, key: networkKey, onSuccess: 'return' }),
} satisfies Record<string, Rule>

type RuleName = keyof typeof rules

function rulesFor(kind: AttemptKind, isKnown: boolean): RuleName[] {
  if (kind === 'passkey') return ['network']
  if (kind === 'password-reset') return ['reset-network', 'reset-account']
  if (kind === 'password') return isKnown ? ['known-device'] : ['pair', 'network', 'account']
  return isKnown ? ['factor-known-device'] : ['factor-pair', 'factor-account']
}

/**
 * Creates the limits of sign-in attempts. Counted in the database, atomically, for all replicas together, including concurrent attempts. No
 * counter by account alone can lock out a browser with which its owner signed in before.
 */
export function createAttemptLimits(database: Database): AttemptLimiter {
  const limiters = Object.fromEntries(
    Object.entries(rules).map(([name, { points, seconds }]) => [name, limiter(database, { keyPrefix: name, points, duration: seconds })]),
  ) as Record<RuleName, RateLimiterAbstract>
  return async (kind, source) => {
    const admitted = rulesFor(kind, source.knownDevice !== null)
    for (const name of admitted) {
      const refusal = await consume(limiters[name], rules[name].key(source))
      if (refusal) return { rejected: true, retryAfterSeconds: Math.max(1, Math.ceil(refusal.msBeforeNext / 1000)) }
    }
    const succeeded = async () => {
      for (const name of admitted) {
        const key = rules[name].key(source)
        await (rules[name].onSuccess === 'clear' ? limiters[name].delete(key) : limiters[name].reward(key))
      }
    }
    return { rejected: false, succeeded }
  }
}

async function consume(limiter: RateLimiterAbstract, key: string): Promise<RateLimiterRes | null> {
  try {
    await limiter.consume(key)
    return null
  } catch (error) {
    if (error instanceof RateLimiterRes) return error
    throw error
  }
}

function limiter(database: Database, counted: { keyPrefix: string; points: number; duration: number }): RateLimiterAbstract {
  return new RateLimiterPostgres({
    storeClient: database.pool,
    tableName: 'sign_in_attempts',
    tableCreated: true,
    clearExpiredByTimeout: false,
    ...counted,
  })
}

/** Preserves the literal types of `onSuccess`. */
function rule(limits: Rule): Rule {
  return limits
}
