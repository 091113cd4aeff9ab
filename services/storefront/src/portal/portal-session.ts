import { getPortalOrganization } from '@quittance/contracts/customer-portal'
import type { Organization } from '@quittance/contracts/organizations'
import { isAllowedReturnUrl } from '@quittance/contracts/return-url'
import { getPortalCustomer, type CustomerPortalCustomer } from '@quittance/contracts/portal-customers'
import type { CallOptions } from '@quittance/pages/call-api'
import { ApiFailure } from '@quittance/pages/call-api'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { readPageContext, type AppOptions, type PageContext } from '../page/page-context.ts'

/** A route below the portal of one seller. */
export interface PortalRoute {
  Params: { slug: string; id: string; noteId?: string }
}

/** The customer who is signed in, as far as the pages need it. */
export interface PortalSession {
  context: PageContext
  /** Path of the portal, without a slash at the end. */
  path: string
  organization: Organization
  customer: CustomerPortalCustomer
  /** Address of the seller to which the pages lead back; null for its website. */
  returnUrl: string | null
  /** Options of calls with the session of the customer. */
  call: CallOptions
}

/** Lifetime of a session from a link. */
const linkSessionSeconds = 3_600

/** Session of the customer, sent to the portal of one seller only. */
export const sessionCookie = (slug: string) => ({ name: 'qt_portal', path: `/${slug}/portal` }) as const
/** Session from a link that was opened while another customer was signed in, until it is confirmed. */
export const pendingCookie = (slug: string) => ({ name: 'qt_portal_new', path: `/${slug}/portal` }) as const

/** Where a link of the seller wants its customer to return to. */
export const returnCookie = (slug: string) => ({ name: 'qt_portal_return', path: `/${slug}/portal` }) as const

/** Longest lifetime of a session: the return address is kept as long. */
const returnSeconds = 12 * 3_600

interface NewSession {
  cookies: AppOptions['cookies']
  slug: string
  token: string
  /** Default: the lifetime of a session from a link. */
  maxAgeSeconds?: number
}

/** Signs a customer in, as long as the session is valid. */
export function signIn(reply: FastifyReply, { cookies, slug, token, maxAgeSeconds = linkSessionSeconds }: NewSession): void {
  cookies.write(reply, { ...sessionCookie(slug), value: token, maxAgeSeconds })
}

/** Returns the customer of a session; null if the session is invalid, has ended, or is one of another seller than the given one. */
export async function findCustomer(
  api: AppOptions['api'],
  call: CallOptions,
  seller?: Organization,
): Promise<CustomerPortalCustomer | null> {
  try {
    return await api.call(getPortalCustomer, seller ? { organization_id: seller.id } : {}, call)
  } catch (error) {
    if (error instanceof ApiFailure && (error.status === 401 || error.status === 404)) return null
    throw error
  }
}

/** Returns the seller of a portal; throws `ApiFailure` with 404 if there is none. */
export async function loadOrganization(
  api: AppOptions['api'],
  { slug, context }: { slug: string; context: PageContext },
): Promise<Organization> {
  const { organization } = await api.call(getPortalOrganization, { slug }, { visitor: context.visitor })
  return organization
}

/** Reads the session of a request. Without a customer nothing is shown: the page then asks for the e-mail address. */
export async function readSession(
  request: FastifyRequest<PortalRoute>,
  { api, cookies }: AppOptions,
): Promise<PortalSession | { organization: Organization; context: PageContext; customer: null }> {
  const context = readPageContext(request)
  const { slug } = request.params
  const token = cookies.read(request, sessionCookie(slug))
  const call = { visitor: context.visitor, ...(token && { token }) }
  const [organization, customer] = await Promise.all([loadOrganization(api, { slug, context }), token ? findCustomer(api, call) : null])
  const returnUrl = allowReturn(organization, cookies.read(request, returnCookie(slug)))
  return customer
    ? { context, organization, customer, call, returnUrl, path: `/${slug}/portal` }
    : { organization, context, customer: null }
}

/** Returns the address if the seller allows it now. An address that the seller does not list is ignored, whatever the link is. */
function allowReturn({ page_settings: settings }: Organization, address: string | null): string | null {
  // The copy of an organization from an earlier release has no list.
  return address && isAllowedReturnUrl(address, settings?.return_origins ?? []) ? address : null
}

interface ReturnLink {
  cookies: AppOptions['cookies']
  organization: Organization
  address: string | null
}

/** Keeps the return address of a link for the pages that follow; one that is not allowed is ignored. */
export function keepReturn(reply: FastifyReply, { cookies, organization, address }: ReturnLink): void {
  const value = allowReturn(organization, address)
  if (value) cookies.write(reply, { ...returnCookie(organization.slug), value, maxAgeSeconds: returnSeconds })
}

interface OfferedSession extends NewSession {
  context: PageContext
  /** Order to show afterwards; empty for the overview. */
  order: string
}

/** Keeps a session until the portal has asked whose account to show, if another customer is signed in; else it is used at once. */
export function offerSession(reply: FastifyReply, { cookies, slug, token, order, context }: OfferedSession): FastifyReply {
  cookies.write(reply, { ...pendingCookie(slug), value: token, maxAgeSeconds: 600 })
  const query = new URLSearchParams({ locale: context.language, ...(order && { order }) }).toString()
  return reply.redirect(`/${slug}/portal/choose?${query}`, 303)
}
