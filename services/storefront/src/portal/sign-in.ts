import { hash } from 'node:crypto'
import { authenticateCustomerSession, requestCustomerSession } from '@quittance/contracts/customer-codes'
import type { Organization } from '@quittance/contracts/organizations'
import { ApiFailure, ApiUnavailable } from '@quittance/pages/call-api'
import type { FormError } from '@quittance/pages/fields'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isEmailAddress, toAsciiAddress } from '../page/email-address.ts'
import { readPageContext, readText, type AppOptions, type PageContext } from '../page/page-context.ts'
import { loadOrganization, readSession, signIn, type PortalRoute } from './portal-session.ts'
import { sendOnce } from './send-once.ts'
import { sendAddressForm, sendCodeForm, sendCodesOff } from './sign-in-pages.ts'

interface Exchange {
  reply: FastifyReply
  options: AppOptions
}

type Request = FastifyRequest<PortalRoute>

/** A sign-in that waits for its code: the address that was typed, and the page to show afterwards. */
interface PendingSignIn {
  email: string
  /** Path below the portal; empty for the overview. */
  next: string
}

/** How long a code is valid. */
export const codeLifetimeSeconds = 900

const signInCookie = (slug: string) => ({ name: 'qt_sign_in', path: `/${slug}/portal/sign-in` }) as const

/** Returns the page below the portal that a visitor asked for, if it is one; empty for the overview. */
export function findNextPage(path: string | null): string {
  const known =
    /^(?:\/(?:benefits|details(?:\/email)?|payment-methods(?:\/add)?)|\/(?:orders|subscriptions)\/[\w-]{1,64}(?:\/(?:cancel|method|withdraw|pay))?)$/
  return path && known.test(path) ? path : ''
}

/** Sends the form that asks for the address, or the portal to a customer who is signed in. */
export async function sendSignIn(request: Request, { reply, options }: Exchange): Promise<FastifyReply> {
  const session = await readSession(request, options)
  if (session.customer) return reply.redirect(session.path, 303)
  const notice = readText(request.query, 'signed_out') ? session.context.words.portal.signedOut : null
  return sendAddressForm(reply, { ...session, next: findNextPage(readText(request.query, 'next')), notice, status: 200 })
}

/** Requests a code. The next page is the same for known and unknown addresses. */
export async function requestCode(request: Request, { reply, options }: Exchange): Promise<FastifyReply> {
  const context = readPageContext(request)
  const { slug } = request.params
  const organization = await loadOrganization(options.api, { slug, context })
  const email = toAsciiAddress((readText(request.body, 'email') ?? '').trim().slice(0, 254))
  const next = findNextPage(readText(request.body, 'next'))
  const form = { organization, context, next, email }
  const reject = () => sendAddressForm(reply, { ...form, errors: [{ field: 'email', message: context.words.errors.email }], status: 422 })
  if (!isEmailAddress(email)) return reject()
  const outcome = await askForCode({ email, organization, context }, { request, options })
  if (outcome === 'rejected') return reject()
  if (outcome === 'off') return sendCodesOff(reply, form)
  options.cookies.write(reply, { ...signInCookie(slug), value: JSON.stringify({ email, next }), maxAgeSeconds: codeLifetimeSeconds })
  const notice = outcome === 'sent' ? '' : `&wait=${outcome.waitMinutes}`
  return reply.redirect(`/${slug}/portal/sign-in/code?locale=${context.language}${notice}`, 303)
}

export type CodeOutcome = 'sent' | 'rejected' | 'off' | { waitMinutes: number }

/** An address that has requested too many codes may still have one, so that the form for it is shown. */
function askForCode(
  { email, organization, context }: { email: string; organization: Organization; context: PageContext },
  { request, options: { api } }: Pick<Exchange, 'options'> & { request: Request },
): Promise<CodeOutcome> {
  const { visitor } = context
  return tryToMailCode(() =>
    sendOnce({ request }, (once) => api.call(requestCustomerSession, { organization_id: organization.id, email }, { visitor, ...once })),
  )
}

/** Requests a code, and returns what the visitor has to know. */
export async function tryToMailCode(request: () => Promise<unknown>): Promise<CodeOutcome> {
  try {
    await request()
    return 'sent'
  } catch (error) {
    if (error instanceof ApiUnavailable) return 'off'
    if (!(error instanceof ApiFailure)) throw error
    if (error.status === 422) return 'rejected'
    // The first press of two is still being handled.
    if (error.status === 409) return 'sent'
    if (error.error !== 'TooManyRequests') throw error
    return { waitMinutes: Math.max(1, Math.ceil((error.retryAfterSeconds ?? 60) / 60)) }
  }
}

function readPending(request: Request, { cookies }: AppOptions): PendingSignIn | null {
  const value = cookies.read(request, signInCookie(request.params.slug))
  return value ? (JSON.parse(value) as PendingSignIn) : null
}

/** Sends the form for the code. Without an address in this browser the sign-in begins again. */
export async function sendCode(request: Request, { reply, options }: Exchange): Promise<FastifyReply> {
  const context = readPageContext(request)
  const { slug } = request.params
  const pending = readPending(request, options)
  if (!pending) return reply.redirect(`/${slug}/portal/sign-in?locale=${context.language}`, 303)
  const organization = await loadOrganization(options.api, { slug, context })
  const { signIn: words } = context.words
  const minutes = /^\d{1,4}$/.exec(readText(request.query, 'wait') ?? '')?.[0]
  const notice = minutes ? words.tooMany(minutes) : readText(request.query, 'again') ? words.sentAgain : null
  return sendCodeForm(reply, { organization, context, email: pending.email, notice, errors: [], status: minutes ? 429 : 200 })
}

/** Opens a session with the code, or requests another one. */
export async function useCode(request: Request, { reply, options }: Exchange): Promise<FastifyReply> {
  const context = readPageContext(request)
  const { slug } = request.params
  const pending = readPending(request, options)
  const start = `/${slug}/portal/sign-in`
  if (!pending) return reply.redirect(`${start}?locale=${context.language}`, 303)
  const organization = await loadOrganization(options.api, { slug, context })
  const known = { email: pending.email, organization, context }
  if (readText(request.body, 'intent') === 'again') {
    const outcome = await askForCode(known, { request, options })
    if (outcome === 'off') return sendCodesOff(reply, known)
    const notice = typeof outcome === 'object' ? `wait=${outcome.waitMinutes}` : 'again=1'
    return reply.redirect(`${start}/code?locale=${context.language}&${notice}`, 303)
  }
  const code = (readText(request.body, 'code') ?? '').trim().slice(0, 50)
  const errors = code
    ? await openSession({ ...known, code }, { request, reply, options })
    : [{ field: 'code', message: context.words.signIn.missingCode }]
  if (errors.length > 0) return sendCodeForm(reply, { ...known, notice: null, errors, status: 422 })
  options.cookies.clear(reply, signInCookie(slug))
  return reply.redirect(`/${slug}/portal${pending.next}?locale=${context.language}`, 303)
}

interface TypedCode {
  email: string
  code: string
  organization: Organization
  context: PageContext
}

async function openSession(
  { email, code, organization, context }: TypedCode,
  { request, reply, options }: Exchange & { request: Request },
): Promise<FormError[]> {
  const typed = { organization_id: organization.id, email, code }
  try {
    const opened = await sendOnce({ request }, ({ idempotencyKey: once }) => {
      // Another code in the same form, as after a step back, is another request.
      const key = once && hash('sha256', `${once} ${code}`)
      return options.api.call(authenticateCustomerSession, typed, { visitor: context.visitor, idempotencyKey: key })
    })
    keepSession(opened, { reply, cookies: options.cookies, slug: organization.slug })
    return []
  } catch (error) {
    if (!(error instanceof ApiFailure) || error.status !== 401) throw error
    return [{ field: 'code', message: context.words.signIn.wrongCode }]
  }
}

/** Signs the customer in with the session that a code opened, as long as it is valid. */
export function keepSession(
  { token, expires_at }: { token: string; expires_at: string },
  { reply, cookies, slug }: { reply: FastifyReply; cookies: AppOptions['cookies']; slug: string },
): void {
  signIn(reply, { cookies, slug, token, maxAgeSeconds: Math.floor((Date.parse(expires_at) - Date.now()) / 1000) })
}
