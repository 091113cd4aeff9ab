import { createCustomerSession as contract } from '@quittance/contracts/customer-sessions'
import type { Customer } from '@quittance/contracts/customers'
import { RequestValidationError } from '@quittance/contracts/errors'
import type { RequestOf } from '@quittance/contracts/operation'
import { isAllowedReturnUrl } from '@quittance/contracts/return-url'
import { command, type CommandContext } from '@quittance/runtime/handler'
import { pagesUrl } from '../config.ts'
import { findByExternalId, findById } from '../customers/customer-queries.ts'
import { requireOrganization } from '../organizations/organization.ts'
import { openCustomerSession } from './customer-session.ts'

type Request = RequestOf<typeof contract>

export const createCustomerSession = command(contract, async (request, context) => {
  const customer = await requireNamedCustomer(request, context)
  const { slug, return_origins: origins } = await requireOrganization(context.sql, customer.organization_id)
  const unbound = { checkoutId: null, madeByCheckoutId: null, proof: 'seller' as const }
  const { session, token } = openCustomerSession(context, {
    customerId: customer.id,
    organizationId: customer.organization_id,
    ...unbound,
  })
  await context.em.flush()
  const address = request.return_url
  const returnUrl = address && isAllowedReturnUrl(address, origins) ? address : null
  const query = new URLSearchParams({ customer_session_token: token, ...(returnUrl && { return_url: returnUrl }) }).toString()
  return {
    id: session.id,
    created_at: session.createdAt.toISOString(),
    modified_at: null,
    token,
    expires_at: session.expiresAt.toISOString(),
    customer_portal_url: `${pagesUrl()}/${slug}/portal?${query}`,
    return_url: returnUrl,
    customer_id: customer.id,
    external_customer_id: customer.external_id,
    customer_external_id: customer.external_id,
    customer,
  }
})

/** If several ids are given, the first one decides; the contract requires one. */
const ids = ['customer_id', 'external_customer_id', 'customer_external_id'] as const

/** An error names the id that was used. */
async function requireNamedCustomer(request: Request, { read }: CommandContext): Promise<Customer> {
  const field = ids.find((each) => request[each]) ?? 'customer_id'
  const id = request[field] as string
  const customer = field === 'customer_id' ? await findById(read, id) : await findByExternalId(read, id)
  if (!customer) throw RequestValidationError.field([field], 'Customer does not exist.')
  return customer
}
