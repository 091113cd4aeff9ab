import type { Rows } from '@quittance/runtime/handler'
import type { Logger } from '@quittance/runtime/log'
import type { Provider } from 'oidc-provider'
import type { Revocation } from '../provider/revocation.ts'
import type { SignIn } from '../sign-in/sign-in.ts'
import type { Csrf } from './csrf.ts'
import type { InTransaction } from './in-transaction.ts'

/** What pages and endpoints work with. */
export interface AppOptions {
  /** The one that signs with the current keys; asked for at every request. */
  provider: () => Provider
  signIn: SignIn
  csrf: Csrf
  rows: Rows
  revocation: Revocation
  inTransaction: InTransaction
  log: Logger
}
