import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Provider } from 'oidc-provider'
import type { SignedIn } from '../sessions/browser-session.ts'
import type { AppOptions } from '../web/app-options.ts'

/** Where a user signs in: in an authorization request, on the account pages, or there again for confirmation. */
export interface SignInContext {
  options: AppOptions
  provider: Provider
  request: FastifyRequest
  reply: FastifyReply
  form: Record<string, unknown>
  /** The forms post to paths below it: `/sign-in`, `/second-factor`, `/passkey`. */
  path: string
  /** Query of the forms' URLs, with its question mark; empty for none. */
  suffix: string
  /** What the browser proves by cookie; forms and signed states are bound to it. */
  subject: string
  /** Name of the requesting application; null on the account pages. */
  clientName: string | null
  /** Whether a form may end at the client, see `pageHeaders`. */
  endsAtClient: boolean
  /** The user who confirms the session; null if any account may sign in. */
  confirms: { accountId: string; email: string } | null
  /** Initial value of the e-mail field. */
  email: string
  /** Stores the session and continues. */
  finish(signedIn: SignedIn): Promise<FastifyReply>
}
