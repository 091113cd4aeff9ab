import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { errors, type Provider } from 'oidc-provider'
import type { AppOptions } from '../web/app-options.ts'
import { routes } from '../routes.ts'
import { browserSession, type BrowserSession } from './browser-session.ts'

/** A request of a signed-in user to the account pages. */
export interface AccountRequest {
  provider: Provider
  session: BrowserSession & { accountId: string }
  request: FastifyRequest
  reply: FastifyReply
  form: Record<string, unknown>
  /** Token for the forms of the page. */
  csrf: string
}

type Handle = (visit: AccountRequest) => Promise<FastifyReply>

interface VisitOptions {
  /** Whether the user must have authenticated within the last ten minutes. */
  fresh: boolean
}

/** Adds routes below the account page. Handlers run only for signed-in users and only for forms that this server issued. */
export interface AccountRoutes {
  show(name: string, visit: VisitOptions, handle: Handle): void
  act(name: string, visit: VisitOptions, handle: Handle): void
}

export function accountRoutes(app: FastifyInstance, { provider, csrf }: AppOptions): AccountRoutes {
  async function visit(request: FastifyRequest, reply: FastifyReply): Promise<AccountRequest | null> {
    const session = await browserSession(provider(), request, reply)
    const { accountId, uid } = session
    if (!accountId) return null
    const form = (request.body ?? {}) as Record<string, unknown>
    return { provider: provider(), session: { ...session, accountId }, request, reply, form, csrf: csrf.token(uid) }
  }
  return {
    show(name, { fresh }, handle) {
      app.get(`${routes.account}/${name}`, async (request, reply) => {
        const seen = await visit(request, reply)
        return seen && (seen.session.isFresh || !fresh) ? handle(seen) : redirectToConfirmation(reply, name)
      })
    },
    act(name, { fresh }, handle) {
      app.post(`${routes.account}/${name}`, async (request, reply) => {
        const seen = await visit(request, reply)
        if (!seen) return redirectToAccount(reply)
        if (!csrf.matches(seen.session.uid, seen.form['csrf'])) throw new errors.SessionNotFound('the form was not issued for this session')
        return seen.session.isFresh || !fresh ? handle(seen) : redirectToConfirmation(reply, '')
      })
    },
  }
}

/** Returns the path of an account page; for any other input the account page. Never the URL of another site. */
export function accountPath(text: unknown): string {
  return typeof text === 'string' && /^\/oauth2\/account(\/[a-z-]+)*$/.test(text) ? text : routes.account
}

function redirectToConfirmation(reply: FastifyReply, name: string): FastifyReply {
  const query = new URLSearchParams({ next: name ? `${routes.account}/${name}` : routes.account })
  return reply.header('cache-control', 'no-store').redirect(`${routes.account}/confirm?${query}`, 303)
}

/** The completed action, shown once on the account page. */
export type Notice = 'password-changed' | 'totp-on' | 'totp-off' | 'passkey-added' | 'passkey-removed'

export function redirectToAccount(reply: FastifyReply, notice?: Notice): FastifyReply {
  const query = notice ? `?${new URLSearchParams({ notice })}` : ''
  return reply.header('cache-control', 'no-store').redirect(`${routes.account}${query}`, 303)
}

/** Returns a form field that may be stored and compared; null if it is missing, long or contains NUL. */
export function readTextField(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value.length <= 100 && !value.includes('\0') ? value : null
}
