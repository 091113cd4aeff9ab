import { endCustomerSession } from '@quittance/contracts/customer-sessions'
import { ApiFailure } from '@quittance/pages/call-api'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { html } from '@quittance/pages/html'
import { maskDifferently } from '../page/email-address.ts'
import { readPageContext, readText, type AppOptions } from '../page/page-context.ts'
import { sendPage } from '../page/send-page.ts'
import { addMethod, sendNewMethod } from './add-method.ts'
import { sendBenefits } from './benefits-page.ts'
import { redirectToCreditNote, redirectToReversal } from './credit-notes.ts'
import { sendDetails, saveDetails } from './details-page.ts'
import { changeOrder, redirectToInvoice, sendOrder } from './order-page.ts'
import { sendOverview } from './overview-page.ts'
import { sendWithdrawal, withdraw } from './withdraw-page.ts'
import {
  findCustomer,
  keepReturn,
  loadOrganization,
  pendingCookie,
  readSession,
  sessionCookie,
  signIn,
  type PortalRoute,
  type PortalSession,
} from './portal-session.ts'
import { findNextPage, requestCode, sendCode, sendSignIn, useCode } from './sign-in.ts'
import { sendAddressForm } from './sign-in-pages.ts'
import { changeMethod, sendMethods, sendRemoval } from './methods-page.ts'
import { redirectToOwedOrder } from './owed-orders.ts'
import { payOrder, sendPay } from './pay-order.ts'
import { changePlan, sendPlan } from './plan-page.ts'
import { chooseSubscriptionMethod, sendSubscriptionMethod } from './subscription-method-page.ts'
import { changeSubscription, sendCancel, sendSubscription } from './subscription-page.ts'
import { requestNewAddress, sendAddressCode, sendNewAddress, useAddressCode } from './update-email.ts'

type Request = FastifyRequest<PortalRoute>
type PageHandler = (
  session: PortalSession,
  exchange: { request: Request; reply: FastifyReply; options: AppOptions },
) => Promise<FastifyReply>

/** Adds the customer portal: a session from a link moves into a cookie, and the other pages read it from there. */
export function addPortalRoutes(app: FastifyInstance, options: AppOptions): void {
  // Only what a slug consists of: it becomes the path of a cookie.
  const root = '/:slug(^[a-z0-9-]+$)/portal'
  const signedIn = (handler: PageHandler) => async (request: Request, reply: FastifyReply) => {
    const session = await readSession(request, options)
    if (session.customer) return handler(session, { request, reply, options })
    return sendAddressForm(reply, { ...session, next: findNextPage(findPortalPath(request)), status: 401 })
  }
  const overview = signedIn(sendOverview)
  app.get<PortalRoute>(root, async (request, reply) => {
    const token = readText(request.query, 'customer_session_token')
    if (token !== null) return acceptLink(request, { reply, options, token })
    return readText(request.query, 'return_url') === null ? overview(request, reply) : acceptReturn(request, { reply, options })
  })
  app.get<PortalRoute>(`${root}/choose`, (request, reply) => sendChoice(request, { reply, options }))
  app.post<PortalRoute>(`${root}/choose`, (request, reply) => choose(request, { reply, options }))
  app.get<PortalRoute>(`${root}/sign-in`, (request, reply) => sendSignIn(request, { reply, options }))
  app.post<PortalRoute>(`${root}/sign-in`, (request, reply) => requestCode(request, { reply, options }))
  app.get<PortalRoute>(`${root}/sign-in/code`, (request, reply) => sendCode(request, { reply, options }))
  app.post<PortalRoute>(`${root}/sign-in/code`, (request, reply) => useCode(request, { reply, options }))
  app.post<PortalRoute>(`${root}/sign-out`, (request, reply) => signOut(request, { reply, options }))
  app.get<PortalRoute>(`${root}/benefits`, signedIn(sendBenefits))
  app.get<PortalRoute>(`${root}/details`, signedIn(sendDetails))
  app.post<PortalRoute>(`${root}/details`, signedIn(saveDetails))
  app.get<PortalRoute>(`${root}/details/email`, signedIn(sendNewAddress))
  app.post<PortalRoute>(`${root}/details/email`, signedIn(requestNewAddress))
  app.get<PortalRoute>(`${root}/details/email/code`, signedIn(sendAddressCode))
  app.post<PortalRoute>(`${root}/details/email/code`, signedIn(useAddressCode))
  app.get<PortalRoute>(`${root}/payment-methods`, signedIn(sendMethods))
  app.get<PortalRoute>(`${root}/payment-methods/add`, signedIn(sendNewMethod))
  app.post<PortalRoute>(`${root}/payment-methods/add`, signedIn(addMethod))
  app.get<PortalRoute>(`${root}/payment-methods/:id/remove`, signedIn(sendRemoval))
  app.post<PortalRoute>(`${root}/payment-methods/:id`, signedIn(changeMethod))
  app.get<PortalRoute>(`${root}/orders/:id`, signedIn(sendOrder))
  app.post<PortalRoute>(`${root}/orders/:id`, signedIn(changeOrder))
  app.get<PortalRoute>(`${root}/orders/:id/pay`, signedIn(sendPay))
  app.post<PortalRoute>(`${root}/orders/:id/pay`, signedIn(payOrder))
  app.get<PortalRoute>(`${root}/orders/:id/invoice`, signedIn(redirectToInvoice))
  app.get<PortalRoute>(`${root}/orders/:id/credit-notes/:noteId`, signedIn(redirectToCreditNote))
  app.get<PortalRoute>(`${root}/orders/:id/credit-notes/:noteId/reversal`, signedIn(redirectToReversal))
  app.get<PortalRoute>(`${root}/orders/:id/withdraw`, signedIn(sendWithdrawal))
  app.post<PortalRoute>(`${root}/orders/:id/withdraw`, signedIn(withdraw))
  app.get<PortalRoute>(`${root}/subscriptions/:id`, signedIn(sendSubscription))
  app.post<PortalRoute>(`${root}/subscriptions/:id`, signedIn(changeSubscription))
  app.get<PortalRoute>(`${root}/subscriptions/:id/pay`, signedIn(redirectToOwedOrder))
  app.get<PortalRoute>(`${root}/subscriptions/:id/change`, signedIn(sendPlan))
  app.post<PortalRoute>(`${root}/subscriptions/:id/change`, signedIn(changePlan))
  app.get<PortalRoute>(`${root}/subscriptions/:id/method`, signedIn(sendSubscriptionMethod))
  app.post<PortalRoute>(`${root}/subscriptions/:id/method`, signedIn(chooseSubscriptionMethod))
  app.get<PortalRoute>(`${root}/subscriptions/:id/cancel`, signedIn(sendCancel))
}

/** Returns the path below the portal. */
function findPortalPath({ url, params: { slug } }: Request): string {
  return url.replace(/\?.*/, '').slice(`/${slug}/portal`.length)
}

interface Exchange {
  reply: FastifyReply
  options: AppOptions
}

/**
 * Moves the session of a link into the cookie and redirects to the address without it. A planted link must not collect what visitors type:
 * a session of another seller is ignored, and if another customer is signed in, the visitor decides.
 */
async function acceptLink(request: Request, { reply, options, token }: Exchange & { token: string }): Promise<FastifyReply> {
  const { api, cookies } = options
  const { slug } = request.params
  const context = readPageContext(request)
  const { visitor, language } = context
  const current = cookies.read(request, sessionCookie(slug))
  const organization = await loadOrganization(api, { slug, context })
  const [customer, before] = await Promise.all([
    findCustomer(api, { visitor, token }, organization),
    current ? findCustomer(api, { visitor, token: current }, organization) : null,
  ])
  keepReturn(reply, { cookies, organization, address: readText(request.query, 'return_url') })
  const target = `/${organization.slug}/portal`
  const query = readText(request.query, 'locale') ? `?locale=${language}` : ''
  if (customer && before && before.id !== customer.id) {
    cookies.write(reply, { ...pendingCookie(slug), value: token, maxAgeSeconds: 600 })
    return reply.redirect(`${target}/choose${query}`, 303)
  }
  if (customer) signIn(reply, { cookies, slug, token })
  return reply.redirect(target + query, 303)
}

/** Keeps the return address of a link without a session. */
async function acceptReturn(request: Request, { reply, options: { api, cookies } }: Exchange): Promise<FastifyReply> {
  const context = readPageContext(request)
  const organization = await loadOrganization(api, { slug: request.params.slug, context })
  keepReturn(reply, { cookies, organization, address: readText(request.query, 'return_url') })
  return reply.redirect(`/${organization.slug}/portal?locale=${context.language}`, 303)
}

async function sendChoice(request: Request, { reply, options }: Exchange): Promise<FastifyReply> {
  const session = await readSession(request, options)
  const token = options.cookies.read(request, pendingCookie(request.params.slug))
  const next = token ? await findCustomer(options.api, { visitor: session.context.visitor, token }) : null
  const { slug } = session.organization
  if (token && next && (!session.customer || session.customer.id === next.id)) {
    signIn(reply, { cookies: options.cookies, slug, token })
    options.cookies.clear(reply, pendingCookie(slug))
    return redirectToOffered(request, reply)
  }
  if (!session.customer || !next) return reply.redirect(`/${slug}/portal?locale=${session.context.language}`, 303)
  const { portal } = session.context.words
  const [current, offered] = maskDifferently(session.customer.email, next.email)
  return sendPage(reply, {
    context: session.context,
    title: portal.otherTitle,
    kept: { order: readOfferedOrder(request) },
    brand: session.organization.name,
    body: html`<form class="card narrow stack" method="post">
      <h1>${portal.otherTitle}</h1>
      <p>${portal.other(current)}</p>
      <p class="actions">
        <button class="button" name="use" value="old">${portal.keepOld(current)}</button>
        <button class="button" name="use" value="new">${portal.useNew(offered)}</button>
      </p>
    </form>`,
  })
}

async function choose(request: Request, { reply, options: { cookies } }: Exchange): Promise<FastifyReply> {
  const { slug } = request.params
  const token = cookies.read(request, pendingCookie(slug))
  cookies.clear(reply, pendingCookie(slug))
  // The order belongs to the other customer.
  if (!token || readText(request.body, 'use') !== 'new')
    return reply.redirect(`/${slug}/portal?locale=${readPageContext(request).language}`, 303)
  signIn(reply, { cookies, slug, token })
  return redirectToOffered(request, reply)
}

/** Returns the order that a session was offered with; empty for the overview. */
function readOfferedOrder({ query }: Request): string {
  return (readText(query, 'order') ?? '').replaceAll(/[^\w-]/g, '')
}

function redirectToOffered(request: Request, reply: FastifyReply): FastifyReply {
  const order = readOfferedOrder(request)
  const { language } = readPageContext(request)
  return reply.redirect(`/${request.params.slug}/portal${order && `/orders/${order}`}?locale=${language}`, 303)
}

/** Ends the session at the API too, so that a copy of the cookie is worth nothing afterwards. */
async function signOut(request: Request, { reply, options: { cookies, api } }: Exchange): Promise<FastifyReply> {
  const context = readPageContext(request)
  const { slug } = request.params
  const token = cookies.read(request, sessionCookie(slug))
  // First: this browser is signed out also while the API does not answer.
  cookies.clear(reply, sessionCookie(slug))
  if (token) await api.call(endCustomerSession, {}, { visitor: context.visitor, token }).catch(ignoreEnded)
  return reply.redirect(`/${slug}/portal/sign-in?signed_out=1&locale=${context.language}`, 303)
}

/** A session that has ended before is what the customer wants. */
function ignoreEnded(error: unknown): void {
  if (!(error instanceof ApiFailure) || error.status !== 401) throw error
}
