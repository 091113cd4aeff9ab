import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { errors } from 'oidc-provider'
import type { AppOptions } from '../http/app-options.ts'
import { tryForm } from '../sign-in/sign-in-form.ts'
import { accountPage } from '../pages/account-page.ts'
import { pageHeaders } from '../pages/layout.ts'
import { signInPage } from '../pages/sign-in-page.ts'
import { routes } from '../provider/routes.ts'
import { browserSession, type BrowserSession } from './browser-session.ts'
import { disconnect, readConnectedApps } from './connected-apps.ts'
import { describeSession, endSessions, readSessions } from './session-list.ts'

/** A request to the account pages by somebody who is signed in. */
interface Visit {
  session: BrowserSession & { accountId: string }
  form: Record<string, unknown>
  reply: FastifyReply
}

/** Before there is a session, the form is tied to this cookie. */
const formCookie = 'qt_form'

/** Pages of a person's own: connected applications and signed-in browsers. */
export function addAccountPages(app: FastifyInstance, options: AppOptions): void {
  const { provider, csrf, rows, revocation } = options
  const url = routes.account

  app.get(url, async (request, reply) => {
    const session = await browserSession(provider(), request, reply)
    const { accountId } = session
    if (!accountId) return showSignIn(request, reply, { status: 200, email: '', error: null })
    const [apps, sessions] = await Promise.all([readConnectedApps(rows, accountId), readSessions(rows, accountId)])
    const page = accountPage({ path: url, csrf: csrf.token(session.uid), apps, sessions, currentUid: session.uid })
    return reply.headers(pageHeaders()).send(page)
  })

  app.post(`${url}/sign-in`, async (request, reply) => {
    const form = (request.body ?? {}) as Record<string, unknown>
    const planted = provider().createContext(request.raw, reply.raw).cookies.get(formCookie, { signed: true })
    if (!planted || !csrf.matches(planted, form['csrf'])) throw new errors.SessionNotFound('the form is not ours')
    const outcome = await tryForm(options.signIn, { form, ip: request.ip })
    if (outcome.kind === 'refused') {
      if (outcome.retryAfterSeconds) reply.header('retry-after', outcome.retryAfterSeconds)
      return showSignIn(request, reply, outcome)
    }
    const session = await browserSession(provider(), request, reply)
    await session.begin(outcome.accountId)
    const userAgent = request.headers['user-agent']?.slice(0, 500) ?? null
    await describeSession(rows, { uid: session.uid, userAgent, ip: request.ip })
    return back(reply)
  })

  act('disconnect', async ({ session: { accountId }, form }) => {
    const [grantId, clientId] = [textOf(form['grant_id']), textOf(form['client_id'])]
    if (grantId || clientId) await disconnect(rows, revocation, { accountId, grantId, clientId })
  })
  act('end-session', async ({ session: { accountId }, form }) => {
    const uid = textOf(form['uid'])
    if (uid) await endSessions(rows, { accountId, uid })
  })
  act('sign-out-everywhere', async ({ session }) => {
    await endSessions(rows, { accountId: session.accountId, uid: null })
    await session.end()
  })
  act('sign-out', async ({ session }) => session.end())

  /** A form of the account page; done or not needed any more, it ends on the page again. */
  function act(name: string, work: (visit: Visit) => Promise<void>): void {
    app.post(`${url}/${name}`, async (request, reply) => {
      const session = await browserSession(provider(), request, reply)
      const form = (request.body ?? {}) as Record<string, unknown>
      if (!session.accountId) return back(reply)
      if (!csrf.matches(session.uid, form['csrf'])) throw new errors.SessionNotFound('the form is not ours')
      await work({ session: { ...session, accountId: session.accountId }, form, reply })
      return back(reply)
    })
  }

  function showSignIn(
    request: FastifyRequest,
    reply: FastifyReply,
    { status, email, error }: { status: number; email: string; error: string | null },
  ): FastifyReply {
    const { cookies, secure } = provider().createContext(request.raw, reply.raw)
    const planted = randomBytes(16).toString('hex')
    cookies.set(formCookie, planted, { httpOnly: true, sameSite: 'strict', signed: true, path: url, secure })
    const page = signInPage({ action: `${url}/sign-in`, csrf: csrf.token(planted), clientName: null, email, error })
    return reply.code(status).headers(pageHeaders()).send(page)
  }

  function back(reply: FastifyReply): FastifyReply {
    return reply.header('cache-control', 'no-store').redirect(url, 303)
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value.length <= 100 && !value.includes('\0') ? value : null
}
