import { createCustomerSession as contract } from '@quittance/contracts/customer-sessions'
import type { Customer } from '@quittance/contracts/customers'
import { RequestValidationError } from '@quittance/contracts/errors'
import type { RequestOf } from '@quittance/contracts/operation'
import { command, type CommandContext } from '@quittance/runtime/handler'
import { config } from '../config.ts'
import { findByExternalId, findById } from '../customers/find-customer.ts'
import { demandOrganization } from '../organizations/demand-organization.ts'
import { openCustomerSession } from './open-customer-session.ts'

type Named = RequestOf<typeof contract>

export const createCustomerSession = command(contract, async (named, context) => {
  const customer = await namedCustomer(named, context)
  const { slug } = await demandOrganization(context.rows, customer.organization_id)
  const { session, token } = openCustomerSession(context, { customerId: customer.id, organizationId: customer.organization_id })
  await context.em.flush()
  return {
    id: session.id,
    created_at: session.createdAt.toISOString(),
    modified_at: null,
    token,
    expires_at: session.expiresAt.toISOString(),
    customer_portal_url: `${config().BASE_URL}/${slug}/portal?customer_session_token=${token}`,
    customer_id: customer.id,
    external_customer_id: customer.external_id,
    customer_external_id: customer.external_id,
    customer,
  }
})

/** Where several ids are given the first decides; the contract demands one. */
const ids = ['customer_id', 'external_customer_id', 'customer_external_id'] as const

/** A refusal names the id that was used. */
async function namedCustomer(named: Named, { read }: CommandContext): Promise<Customer> {
  const field = ids.find((each) => named[each]) ?? 'customer_id'
  const id = named[field] as string
  const customer = field === 'customer_id' ? await findById(read, id) : await findByExternalId(read, id)
  if (!customer) throw RequestValidationError.field([field], 'Customer does not exist.')
  return customer
}
