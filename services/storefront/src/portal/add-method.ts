import { setTimeout as delay } from 'node:timers/promises'
import {
  addCustomerPaymentMethod,
  confirmCustomerPaymentMethod,
  type StoredPaymentMethod,
} from '@quittance/contracts/customer-payment-methods'
import { ApiFailure } from '@quittance/pages/call-api'
import { formatTime } from '@quittance/pages/dates'
import type { FastifyReply } from 'fastify'
import { readText, type PageContext } from '../page/page-context.ts'
import { completeSandboxStep, hasBankStep, sendBankStep, stepAddress, stepSeconds, stepWaitsMs } from './bank-step.ts'
import type { Exchange } from './load-subscription.ts'
import { loadSetup } from './new-card.ts'
import { newMethodPath, readSent, sendMethodForm, type MethodProblem } from './new-method-page.ts'
import type { PortalSession } from './portal-session.ts'
import { sendOnce } from './send-once.ts'
import { loadMethods } from './stored-methods.ts'

/** A method that the buyer has to confirm, or that the provider has not answered about. */
interface PendingSetup {
  setupId: string
  /** Of the step of the bank; null if there is nothing to do for the buyer. */
  secret: string | null
}

/** The setup in progress, so that the page of its step can be loaded again; sent to this page only. */
const setupCookie = (session: PortalSession) => ({ name: 'qt_setup', path: newMethodPath(session) }) as const

/** Sends the form that stores a payment method, or the step of the bank, or what that led to. */
export async function sendNewMethod(session: PortalSession, exchange: Exchange): Promise<FastifyReply> {
  const { cookies } = exchange.options
  const cookie = setupCookie(session)
  const pending = readPending(session, exchange)
  const step = readText(exchange.request.query, 'step')
  if (step !== null) cookies.clear(exchange.reply, cookie)
  if (step === 'completed') return pending ? completeSetup(session, exchange, pending) : leadBack(session, exchange, null)
  if (step === null && pending?.secret) return sendStep(session, exchange, pending.secret)
  return sendForm(session, exchange, step === null ? null : { message: session.context.words.method.stepFailed })
}

function readPending(session: PortalSession, { request, options }: Exchange): PendingSetup | null {
  const value = options.cookies.read(request, setupCookie(session))
  return value ? (JSON.parse(value) as PendingSetup) : null
}

/** Stores a payment method. One that is declined shows the form again. */
export async function addMethod(session: PortalSession, exchange: Exchange): Promise<FastifyReply> {
  const { api, origin, cookies } = exchange.options
  const { words } = session.context
  const secret = readText(exchange.request.body, 'step') === 'complete' ? readPending(session, exchange)?.secret : null
  if (secret) return completeSandboxStep(session, exchange, { secret, path: newMethodPath(session) })
  const token = readSent(exchange, 'confirmation_token_id')
  if (!token) return sendForm(session, exchange, { message: words.method.missing })
  const path = newMethodPath(session)
  const request = {
    confirmation_token_id: token,
    set_default: readSent(exchange, 'set_default') === 'yes',
    return_url: origin + stepAddress(path, 'completed', session),
  }
  const outcome = await readOutcome(
    () => sendOnce(exchange, (key) => api.call(addCustomerPaymentMethod, request, { ...session.call, ...key })),
    session.context,
  )
  if ('stored' in outcome) return leadBack(session, exchange, outcome.stored.default ? 'default' : 'added')
  if ('message' in outcome) return sendForm(session, exchange, outcome)
  if (outcome.secret === null) return leadBack(session, exchange, 'adding')
  cookies.write(exchange.reply, { ...setupCookie(session), value: JSON.stringify(outcome), maxAgeSeconds: stepSeconds })
  return exchange.reply.redirect(`${path}?locale=${session.context.language}`, 303)
}

type Outcome = { stored: StoredPaymentMethod } | PendingSetup | MethodProblem

/** Limits that are shorter are those of all requests. */
const minLimitSeconds = 60

async function readOutcome(send: () => Promise<StoredPaymentMethod>, { words, locale }: PageContext): Promise<Outcome> {
  const { method, portal } = words
  try {
    return { stored: await send() }
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error
    const { setup_id: setupId, client_secret: secret } = error.members
    if (error.error === 'PaymentMethodActionRequired')
      return { setupId: String(setupId), secret: typeof secret === 'string' ? secret : null }
    if (error.error === 'PaymentError' || error.status === 422) return { message: method.rejected }
    if (error.status === 403) return { message: portal.changeNotAllowed, status: 403 }
    const waitSeconds = error.retryAfterSeconds ?? 0
    if (error.error !== 'TooManyRequests' || waitSeconds < minLimitSeconds) throw error
    return { message: method.tooMany(formatTime(new Date(Date.now() + waitSeconds * 1_000), locale)), status: 429 }
  }
}

/** Reads what the step of the bank led to. The provider may need some seconds. */
async function completeSetup(session: PortalSession, exchange: Exchange, { setupId }: PendingSetup): Promise<FastifyReply> {
  const { context, call } = session
  const request = { setup_id: setupId }
  for (const waitMs of [...stepWaitsMs, null]) {
    const outcome = await readOutcome(() => exchange.options.api.call(confirmCustomerPaymentMethod, request, call), context)
    if ('stored' in outcome) return leadBack(session, exchange, outcome.stored.default ? 'default' : 'added')
    if ('message' in outcome) return sendForm(session, exchange, outcome)
    if (waitMs !== null) await delay(waitMs)
    else if (outcome.secret !== null) return sendForm(session, exchange, { message: context.words.method.stepFailed })
  }
  return leadBack(session, exchange, 'adding')
}

async function sendStep(session: PortalSession, exchange: Exchange, secret: string): Promise<FastifyReply> {
  const payable = await loadSetup(session, exchange)
  if (!hasBankStep(payable, exchange)) return sendForm(session, exchange, null)
  const { method } = session.context.words
  return sendBankStep(session, { exchange, payable, secret, path: newMethodPath(session), title: method.actionTitle })
}

async function sendForm(session: PortalSession, exchange: Exchange, problem: MethodProblem | null): Promise<FastifyReply> {
  const [payable, methods] = await Promise.all([loadSetup(session, exchange), loadMethods(session, exchange)])
  return sendMethodForm(session, { exchange, payable, hasMethods: methods.length > 0, problem })
}

/** Leads back to the stored methods, and states what was done. */
function leadBack({ path, context }: PortalSession, { reply }: Exchange, done: 'added' | 'default' | 'adding' | null): FastifyReply {
  return reply.redirect(`${path}/payment-methods?${done ? `done=${done}&` : ''}locale=${context.language}`, 303)
}
