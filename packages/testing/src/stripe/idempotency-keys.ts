import { hash } from 'node:crypto'
import { StripeRejection, type StripeAccountState, type StripeReply } from './stripe-state.ts'

const keptMs = 24 * 3_600_000

export interface KeyedRequest {
  key: string
  method: string
  path: string
  body: string
}

/** The reply stored under a key, or a permission to execute with a function that stores the reply. */
export type KeyUse = { replay: StripeReply } | { store(reply: StripeReply | null): void }

/**
 * Stripe's rules: a key belongs to an account, is kept for 24 hours with the first reply that began to execute, 500 among them, is rejected with
 * other parameters, and is busy while the first request is executed.
 */
export function useKey(account: StripeAccountState, { key, method, path, body }: KeyedRequest, now: number): KeyUse {
  for (const [name, { storedAt, reply }] of account.idempotency) {
    if (reply && now - storedAt >= keptMs) account.idempotency.delete(name)
  }
  const fingerprint = hash('sha256', `${method} ${path}\n${body}`)
  const stored = account.idempotency.get(key)
  if (stored && stored.fingerprint !== fingerprint) {
    const message = `Keys for idempotent requests can only be used with the same parameters they were first used with.`
    throw new StripeRejection(400, { type: 'idempotency_error', message })
  }
  if (stored && !stored.reply) {
    const message = 'There is currently another in-progress request using this idempotency key.'
    throw new StripeRejection(409, { type: 'idempotency_error', code: 'idempotency_key_in_use', message })
  }
  if (stored?.reply) return { replay: stored.reply }
  account.idempotency.set(key, { fingerprint, storedAt: now, reply: null })
  return {
    store(reply) {
      if (reply) account.idempotency.set(key, { fingerprint, storedAt: now, reply: structuredClone(reply) })
      else account.idempotency.delete(key)
    },
  }
}
