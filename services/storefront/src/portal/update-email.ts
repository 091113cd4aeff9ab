import { requestEmailUpdate, verifyEmailUpdate } from '@quittance/contracts/portal-customers'
import { ApiFailure } from '@quittance/pages/call-api'
import type { FastifyReply } from 'fastify'
import { isEmailAddress, toAsciiAddress } from '../page/email-address.ts'
import { readText } from '../page/page-context.ts'
import type { Exchange } from './load-subscription.ts'
import { sendAddressPage, sendCodePage } from './update-email-pages.ts'
import type { PortalSession } from './portal-session.ts'
import { sendOnce } from './send-once.ts'
import { codeLifetimeSeconds, keepSession, tryToMailCode, type CodeOutcome } from './sign-in.ts'

/** The new address that waits for its code. */
const updateCookie = (path: string) => ({ name: 'qt_email_update', path: `${path}/details/email` }) as const

/** Sends the form for the new address. */
export async function sendNewAddress(session: PortalSession, exchange: Exchange): Promise<FastifyReply> {
  return sendAddressPage(session, { exchange, email: '', errors: [], status: 200 })
}

/** Requests a code for the new address. The next page is the same for an address that another customer has. */
export async function requestNewAddress(session: PortalSession, exchange: Exchange): Promise<FastifyReply> {
  const { request, reply, options } = exchange
  const { context, customer, path } = session
  const { errors, email: words } = context.words
  const email = toAsciiAddress((readText(request.body, 'email') ?? '').trim().slice(0, 254))
  const reject = (message: string, status = 422) =>
    sendAddressPage(session, { exchange, email, errors: [{ field: 'email', message }], status })
  if (!isEmailAddress(email)) return reject(errors.email)
  if (email.toLowerCase() === customer.email.toLowerCase()) return reject(words.same)
  const outcome = await mailCode(email, { session, exchange })
  if (outcome === 'rejected') return reject(errors.email)
  // The last code of this address still works.
  if (typeof outcome === 'object' && options.cookies.read(request, updateCookie(path)) === email)
    return sendCodePage(session, { exchange, email, notice: describeProblem(outcome, session), errors: [], status: 429 })
  if (outcome !== 'sent') return reject(describeProblem(outcome, session), typeof outcome === 'object' ? 429 : 422)
  options.cookies.write(reply, { ...updateCookie(path), value: email, maxAgeSeconds: codeLifetimeSeconds })
  return reply.redirect(`${path}/details/email/code?locale=${context.language}`, 303)
}

interface Pending {
  session: PortalSession
  exchange: Exchange
}

/** A session that is bound to one purchase may not change the address. */
type UpdateOutcome = CodeOutcome | 'not-allowed'

async function mailCode(email: string, { session, exchange }: Pending): Promise<UpdateOutcome> {
  try {
    return await tryToMailCode(() => exchange.options.api.call(requestEmailUpdate, { email }, session.call))
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 403) return 'not-allowed'
    throw error
  }
}

function describeProblem(outcome: Exclude<UpdateOutcome, 'sent' | 'rejected'>, { context: { words } }: PortalSession): string {
  if (outcome === 'not-allowed') return words.portal.changeNotAllowed
  return outcome === 'off' ? words.signIn.offTitle : words.email.tooMany(String(outcome.waitMinutes))
}

/** Sends the form for the code. Without an address in this browser the change begins again. */
export async function sendAddressCode(session: PortalSession, exchange: Exchange): Promise<FastifyReply> {
  const { request, reply, options } = exchange
  const email = options.cookies.read(request, updateCookie(session.path))
  if (email === null) return restart(session, reply)
  const notice = readText(request.query, 'again') ? session.context.words.signIn.sentAgain : null
  return sendCodePage(session, { exchange, email, notice, errors: [], status: 200 })
}

function restart({ path, context }: PortalSession, reply: FastifyReply): FastifyReply {
  return reply.redirect(`${path}/details/email?locale=${context.language}`, 303)
}

/** Changes the address with the code and continues in the new session, or requests another code. */
export async function useAddressCode(session: PortalSession, exchange: Exchange): Promise<FastifyReply> {
  const { request, reply, options } = exchange
  const { context, path } = session
  const email = options.cookies.read(request, updateCookie(path))
  if (email === null) return restart(session, reply)
  const page = { exchange, email, notice: null, errors: [] }
  if (readText(request.body, 'intent') === 'again') {
    const outcome = await mailCode(email, { session, exchange })
    if (outcome === 'sent') return reply.redirect(`${path}/details/email/code?locale=${context.language}&again=1`, 303)
    if (outcome === 'rejected') return restart(session, reply)
    const status = typeof outcome === 'object' ? 429 : 422
    return sendCodePage(session, { ...page, notice: describeProblem(outcome, session), status })
  }
  const code = (readText(request.body, 'code') ?? '').trim().slice(0, 50)
  const show = (message: string) => sendCodePage(session, { ...page, errors: [{ field: 'code', message }], status: 422 })
  if (code === '') return show(context.words.signIn.missingCode)
  const outcome = await changeAddress(code, { session, exchange })
  if (outcome === 'wrong') return show(context.words.signIn.wrongCode)
  options.cookies.clear(reply, updateCookie(path))
  return reply.redirect(`${path}/details?locale=${context.language}${outcome === 'changed' ? '&changed=1' : ''}`, 303)
}

/** Changes the address; the cookie then has the new session. A form that is sent twice may find that the first has ended the session. */
async function changeAddress(code: string, { session, exchange }: Pending): Promise<'changed' | 'wrong' | 'signed-out'> {
  const { reply, options } = exchange
  try {
    const opened = await sendOnce(exchange, (once) => options.api.call(verifyEmailUpdate, { token: code }, { ...session.call, ...once }))
    keepSession(opened, { reply, cookies: options.cookies, slug: session.organization.slug })
    return 'changed'
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error
    // The same form with another code, as after a step back.
    if (error.error === 'CustomerSessionCodeInvalidOrExpired' || error.status === 422) return 'wrong'
    // Another purchase has bound the session since.
    if (error.status === 401 || error.status === 403) return 'signed-out'
    throw error
  }
}
