import { getPortalCustomer, getPortalOrganization, type CustomerPortalCustomer } from '@quittance/contracts/customer-portal'
import type { Organization } from '@quittance/contracts/organizations'
import type { CallOptions } from '@quittance/pages/call-api'
import { ApiFailure } from '@quittance/pages/call-api'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { readPageContext, type AppOptions, type PageContext } from '../page/page-context.ts'

/** A route below the portal of one seller. */
export interface PortalRoute {
  Params: { slug: string; id: string }
}

/** The customer who is signed in, as far as the pages need it. */
export interface PortalSession {
  context: PageContext
  /** Path of the portal, without a slash at the end. */
  path: string
  organization: Organization
  customer: CustomerPortalCustomer
  /** Options of calls with the session of the customer. */
  call: CallOptions
}

const maxAgeSeconds = 3_600

/** Session of the customer, sent to the portal of one seller only. */
export const sessionCookie = (slug: string) => ({ name: 'qt_portal', path: `/${slug}/portal` }) as const
/** Session from a link that was opened while another customer was signed in, until it is confirmed. */
export const pendingCookie = (slug: string) => ({ name: 'qt_portal_new', path: `/${slug}/portal` }) as const

/** Signs a customer in, as long as the session of a link is valid. */
export function signIn(
  reply: FastifyReply,
  { cookies, slug, token }: { cookies: AppOptions['cookies']; slug: string; token: string },
): void {
  cookies.write(reply, { ...sessionCookie(slug), value: token, maxAgeSeconds })
}

/** Returns the customer of a session; null if the session is invalid or has ended. */
export async function findCustomer(api: AppOptions['api'], call: CallOptions): Promise<CustomerPortalCustomer | null> {
  try {
    return await api.call(getPortalCustomer, {}, call)
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

/** Reads the session of a request. Without a customer nothing is shown: the page then asks for the link. */
export async function readSession(
  request: FastifyRequest<PortalRoute>,
  { api, cookies }: AppOptions,
): Promise<PortalSession | { organization: Organization; context: PageContext; customer: null }> {
  const context = readPageContext(request)
  const { slug } = request.params
  const token = cookies.read(request, sessionCookie(slug))
  const call = { visitor: context.visitor, ...(token && { token }) }
  const [organization, customer] = await Promise.all([loadOrganization(api, { slug, context }), token ? findCustomer(api, call) : null])
  return customer ? { context, organization, customer, call, path: `/${slug}/portal` } : { organization, context, customer: null }
}
