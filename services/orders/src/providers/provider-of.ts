import type { Transaction } from '@quittance/runtime/handler'
import type { SystemSql } from '@quittance/sql/sql-runner'
import { config } from '../config.ts'
import { findAccountAdapter, isOffered } from './account-adapters.ts'
import { openCredentials } from './account-credentials.ts'
import { createBankTransferProvider } from './bank-transfer/bank-transfer-provider.ts'
import type { Capabilities, Mode, PaymentProvider } from './provider.ts'
import { completeAction, type CompletedAction } from './sandbox/sandbox-actions.ts'
import { createSandboxProvider } from './sandbox/sandbox-provider.ts'
import { sandboxAccount } from './sandbox/sandbox-store.ts'

/** The account at a provider through which a payment goes; the sandbox has none. */
export interface ProviderAccount {
  organizationId: string
  /** Null for the sandbox. */
  id: string | null
  provider: string
  mode: Mode
  /** The provider's id of the account. */
  providerAccount: string
  credentialsSealed: string | null
  /** No call is made until then: the provider limits the calls of the account. */
  pausedUntil: Date | null
}

/** What adapters need of the process. */
export interface ProviderContext {
  transaction<T>(organizationId: string, work: (transaction: Transaction) => Promise<T>): Promise<T>
}

type OpenProvider = (account: ProviderAccount, context: ProviderContext) => PaymentProvider | null

let replacement: OpenProvider | null = null

/** Returns the adapter of an account; null if this installation does not offer its provider. No other file knows the adapters. */
export function openProvider(account: ProviderAccount, context: ProviderContext): PaymentProvider | null {
  if (replacement) return replacement(account, context)
  return openConfiguredProvider(account, context)
}

/** Whether this installation offers the provider of an account. */
export function hasProvider(account: ProviderAccount): boolean {
  return getCapabilities(account) !== null
}

/** Returns what an account can do; null if this installation does not offer its provider. */
export function getCapabilities(account: ProviderAccount): Capabilities | null {
  return openProvider(account, { transaction: () => Promise.reject(new Error('No call is made here')) })?.capabilities() ?? null
}

function openConfiguredProvider(account: ProviderAccount, context: ProviderContext): PaymentProvider | null {
  const { id, provider, mode, providerAccount, credentialsSealed } = account
  if (id === null) return config().SANDBOX_PAYMENTS === 'on' ? openSandbox(account, context) : null
  if (provider === 'bank_transfer') return isOffered(provider) ? createBankTransferProvider(toStore(account, context)) : null
  const adapter = config().SECRETS_KEY ? findAccountAdapter(provider) : null
  if (!adapter) return null
  // Only events need the secrets of webhooks.
  const withoutSecrets = { webhook_secrets_sealed: [], webhook_secret_added_at: null }
  const sealed = { id, mode, provider_account: providerAccount, credentials_sealed: credentialsSealed, ...withoutSecrets }
  return adapter.open(openCredentials(sealed, new Date()))
}

/** Opens the sandbox whether or not it is on: for tests that wrap it. */
export function openSandbox(account: ProviderAccount, context: ProviderContext): PaymentProvider {
  return createSandboxProvider(toStore(account, context))
}

/** Completes the step of the bank of a payment or setup in the sandbox; null if there is none with the secret, or if the sandbox is off. */
export async function completeSandboxAction(systemSql: SystemSql, secret: string): Promise<CompletedAction | null> {
  return config().SANDBOX_PAYMENTS === 'on' ? completeAction(systemSql, secret) : null
}

/** What adapters need that keep their own rows. */
function toStore(account: ProviderAccount, { transaction }: ProviderContext): ProviderStore {
  const { organizationId } = account
  return { account, organizationId, transaction: (work) => transaction(organizationId, ({ sql }) => work(sql)) }
}

/** Where an adapter without a remote provider keeps its rows. It opens its own transactions, as another system does. */
export interface ProviderStore {
  account: ProviderAccount
  organizationId: string
  transaction<T>(work: (sql: Transaction['sql']) => Promise<T>): Promise<T>
}

/** The built-in account of an organization without another. */
export function toSandboxAccount(organizationId: string): ProviderAccount {
  return {
    organizationId,
    id: null,
    provider: 'sandbox',
    mode: 'test',
    providerAccount: sandboxAccount,
    credentialsSealed: null,
    pausedUntil: null,
  }
}

/** Replaces all adapters until disposed: for tests that record, delay or interrupt calls. */
export function replaceProviders(open: OpenProvider): Disposable {
  replacement = open
  return { [Symbol.dispose]: () => void (replacement = null) }
}

/** Throws if the sandbox would take payments at a public address without explicit permission. */
export function assertSandboxIsPrivate({
  SANDBOX_PAYMENTS,
  SANDBOX_PAYMENTS_OVER_HTTPS,
  BASE_URL,
}: Pick<ReturnType<typeof config>, 'SANDBOX_PAYMENTS' | 'SANDBOX_PAYMENTS_OVER_HTTPS' | 'BASE_URL'>): void {
  if (SANDBOX_PAYMENTS !== 'on' || SANDBOX_PAYMENTS_OVER_HTTPS === 'on' || new URL(BASE_URL).protocol !== 'https:') return
  throw new Error(
    'SANDBOX_PAYMENTS is on and BASE_URL is an https address: anyone could pay with ctoken_ok. Set SANDBOX_PAYMENTS_OVER_HTTPS=on to allow this.',
  )
}
