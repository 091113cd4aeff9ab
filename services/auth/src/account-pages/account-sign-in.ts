import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { errors } from 'oidc-provider'
import type { AppOptions } from '../web/app-options.ts'
import { routes } from '../routes.ts'
import { submitPasskey } from '../sign-in-pages/submit-passkey.ts'
import { submitSignIn } from '../sign-in-pages/submit-sign-in.ts'
import { submitSecondFactor } from '../sign-in-pages/second-factor-form.ts'
import { renderSignIn } from '../sign-in-pages/sign-in-form.ts'
import type { SignInContext } from '../sign-in-pages/sign-in-context.ts'
import { accountPath } from '../sessions/account-requests.ts'
import { browserSession, type BrowserSession } from '../sessions/browser-session.ts'
import { recordSessionDevice } from '../sessions/session-list.ts'

/** Before there is a session, the form is bound to this cookie. */
const formCookie = 'qt_form'

const findEmail = `select email from accounts where id = :id`

/** Adds sign-in on the account pages and confirmation of the user. Both end at the requested page. */
export function addAccountSignIn(app: FastifyInstance, options: AppOptions): void {
  app.get(`${routes.account}/confirm`, async (request, reply) => {
    const { next } = request.query as { next?: unknown }
    const session = await browserSession(options.provider(), request, reply)
    if (session.isFresh) return reply.redirect(accountPath(next), 303)
    return showAccountSignIn(options, { request, reply, session })
  })
  for (const [name, answer] of [
    ['sign-in', submitSignIn],
    ['second-factor', submitSecondFactor],
    ['passkey', submitPasskey],
  ] as const) {
    app.post(`${routes.account}/${name}`, async (request, reply) => {
      const session = await browserSession(options.provider(), request, reply)
      const { confirm } = request.query as { confirm?: unknown }
      if (confirm !== undefined && !session.accountId) return reply.redirect(routes.account, 303)
      const subject = confirm === undefined ? readFormCookie(options, request, reply) : session.uid
      const form = (request.body ?? {}) as Record<string, unknown>
      if (!subject || !options.csrf.matches(subject, form['csrf']))
        throw new errors.SessionNotFound('the form was not issued for this session')
      return answer(await createSignInContext(options, { request, reply, session, subject, isConfirmed: confirm !== undefined }))
    })
  }
}

interface AccountRequest {
  request: FastifyRequest
  reply: FastifyReply
  session: BrowserSession
}

/** Shows the sign-in page of the account; to a signed-in user, the page that requires confirmation. */
export async function showAccountSignIn(options: AppOptions, accountRequest: AccountRequest): Promise<FastifyReply> {
  const isConfirmed = accountRequest.session.accountId !== null
  const subject = isConfirmed ? accountRequest.session.uid : ensureFormCookie(options, accountRequest)
  return renderSignIn(await createSignInContext(options, { ...accountRequest, subject, isConfirmed }))
}

async function createSignInContext(
  options: AppOptions,
  { request, reply, session, subject, isConfirmed }: AccountRequest & { subject: string; isConfirmed: boolean },
): Promise<SignInContext> {
  const next = accountPath((request.query as { next?: unknown }).next)
  const query = new URLSearchParams({ ...(next !== routes.account && { next }), ...(isConfirmed && { confirm: '' }) }).toString()
  const [account] = isConfirmed ? await options.systemSql<{ email: string }>('account.email', findEmail, { id: session.accountId }) : []
  return {
    options,
    provider: options.provider(),
    request,
    reply,
    form: (request.body ?? {}) as Record<string, unknown>,
    path: routes.account,
    suffix: query && `?${query}`,
    subject,
    clientName: null,
    endsAtClient: false,
    confirms: account && session.accountId ? { accountId: session.accountId, email: account.email } : null,
    email: '',
    async finish(signedIn) {
      const { uid } = await session.begin(signedIn)
      const userAgent = request.headers['user-agent']?.slice(0, 500) ?? null
      await recordSessionDevice(options.systemSql, { uid, userAgent, ip: request.ip })
      return reply.header('cache-control', 'no-store').redirect(next, 303)
    },
  }
}

/** Keeps an existing cookie: another tab may have a form that is bound to it. */
function ensureFormCookie(options: AppOptions, { request, reply }: AccountRequest): string {
  const known = readFormCookie(options, request, reply)
  if (known) return known
  const { cookies, secure } = options.provider().createContext(request.raw, reply.raw)
  const value = randomBytes(16).toString('hex')
  cookies.set(formCookie, value, { httpOnly: true, sameSite: 'strict', signed: true, path: routes.account, secure })
  return value
}

function readFormCookie({ provider }: AppOptions, request: FastifyRequest, reply: FastifyReply): string | null {
  return provider().createContext(request.raw, reply.raw).cookies.get(formCookie, { signed: true }) ?? null
}
