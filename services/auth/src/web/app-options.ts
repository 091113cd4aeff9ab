import type { SystemSql } from '@quittance/sql/sql-runner'
import type { Logger } from '@quittance/runtime/logger'
import type { Provider } from 'oidc-provider'
import type { Revocation } from '../provider/revocation.ts'
import type { AttemptLimiter } from '../sign-in/attempt-limits.ts'
import type { SignedState } from '../sign-in/signed-state.ts'
import type { SignIn } from '../sign-in/password-sign-in.ts'
import type { Csrf } from './csrf.ts'
import type { TransactionRunner } from '../transaction-runner.ts'

/** Dependencies of pages and endpoints. */
export interface AppOptions {
  /** Returns the provider that signs with the current keys; call it for every request. */
  provider: () => Provider
  /** Public address of the pages; passkeys are bound to its host. */
  authUrl: string
  /** Keys of SECRETS_KEY, newest first; they seal the secrets of authenticator apps. */
  secrets: readonly Uint8Array[]
  signIn: SignIn
  admitAttempt: AttemptLimiter
  csrf: Csrf
  state: SignedState
  systemSql: SystemSql
  revocation: Revocation
  inTransaction: TransactionRunner
  log: Logger
}
