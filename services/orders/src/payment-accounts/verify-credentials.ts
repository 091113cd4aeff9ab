import { NotPermitted, RequestValidationError, ServiceUnavailable } from '@quittance/contracts/errors'
import { PaymentAccountMismatch } from '@quittance/contracts/payment-accounts'
import { findAccountAdapter, type AccountAdapter } from '../providers/account-adapters.ts'
import type { Answer, Mode } from '../providers/provider.ts'
import type { AccountHealth } from './payment-account.ts'

/** Returns the adapter of a provider that this installation offers. */
export function requireAccountAdapter(provider: string): AccountAdapter {
  const adapter = findAccountAdapter(provider)
  if (adapter) return adapter
  throw createNotOfferedError(provider)
}

export function createNotOfferedError(provider: string): NotPermitted {
  return new NotPermitted(`This installation does not offer ${provider}: the operator enables it with PAYMENT_PROVIDERS.`)
}

interface PresentedKeys {
  mode: Mode
  secretKey?: string | null | undefined
  publishableKey?: string | null | undefined
}

/** Rejects keys of another form or mode before anything is called. */
export function assertKeyModes(adapter: AccountAdapter, { mode, secretKey, publishableKey }: PresentedKeys): void {
  for (const [field, kind, key] of [
    ['secret_key', 'secret', secretKey],
    ['publishable_key', 'publishable', publishableKey],
  ] as const) {
    if (!key) continue
    const named = adapter.readMode(key, kind)
    if (!named) throw RequestValidationError.field([field], `Must be a ${kind} key of the provider.`)
    if (named !== mode) throw new PaymentAccountMismatch(`The ${kind} key is one of ${named} mode, and the account is one of ${mode} mode.`)
  }
}

/** What the provider reported about a key that works. */
export interface VerifiedKey {
  account: string
  health: AccountHealth
}

/** Reads account and mode with a key; throws if it is not valid, of another mode, or of another account than `expected`. */
export async function verifyKey(
  adapter: AccountAdapter,
  { secretKey, mode, expected }: { secretKey: string; mode: Mode; expected: string | null },
): Promise<VerifiedKey> {
  const answer = await adapter.open({ account: expected ?? '', mode, apiKey: secretKey, webhookSecrets: [] }).health()
  if ('unknown' in answer) throw new ServiceUnavailable('The payment provider cannot be reached.')
  if (!('got' in answer)) {
    throw RequestValidationError.field(['secret_key'], 'misconfigured' in answer ? answer.detail : 'The key is not valid.')
  }
  const { account, mode: actual } = answer.got
  if (actual !== mode) throw new PaymentAccountMismatch(`The key is one of ${actual} mode, and the account is one of ${mode} mode.`)
  if (expected !== null && account !== expected) throw new PaymentAccountMismatch('The key belongs to another account at the provider.')
  return { account, health: toHealth(answer, { mode, expected: account }) }
}

type HealthAnswer = Answer<{ account: string; mode: Mode; lacking: readonly string[] }>

/** Translates a check of stored credentials. */
export function toHealth(answer: HealthAnswer, { mode, expected }: { mode: Mode; expected: string | null }): AccountHealth {
  const failed = (detail: string): AccountHealth => ({ is_healthy: false, lacking: [], detail })
  if ('misconfigured' in answer) return failed(answer.detail)
  if (!('got' in answer)) return failed('The payment provider did not answer.')
  const { account, mode: actual, lacking } = answer.got
  if (account !== expected) return failed('The key belongs to another account at the provider.')
  if (actual !== mode) return failed(`The key is one of ${actual} mode.`)
  return { is_healthy: lacking.length === 0, lacking: [...lacking], detail: lacking.length === 0 ? null : 'The API key lacks permissions.' }
}
