import {
  authenticateCustomerSession as authenticateContract,
  CustomerSessionCodeInvalidOrExpired,
  requestCustomerSession as requestContract,
} from '@quittance/contracts/customer-codes'
import { customerUpdated } from '@quittance/contracts/customers'
import { command, staged, type Transaction } from '@quittance/runtime/handler'
import { Customer } from '../customers/customer.ts'
import { publishCustomerState } from '../customers/customer-state.ts'
import { customerView } from '../customers/customer-view.ts'
import { lockCustomer } from '../customers/lock-customer.ts'
import { bindSessionsToCheckout } from './bind-sessions.ts'
import { matchesCode, type CodeScope, type OpenCode } from './customer-code.ts'
import { openCodeSession, type CodeSession } from './customer-session.ts'
import { hashAddresses, issueCode, lockAddress, requireMailKeys, type MailKeys } from './issue-code.ts'

/** Wrong codes that end a code. */
export const maxTries = 5

const findCustomer = `
  select id, email, locale from customers
  where organization_id = :organization_id and organization_id = any (:scope_organizations) and lower(email) = lower(:email) and deleted_at is null`

/** Handles known and unknown addresses by the same statements and the same event, so that neither reply nor time distinguishes them. */
export const requestCustomerSession = command(requestContract, async ({ organization_id, email }, context) => {
  const { sql, bindOrganization } = context
  const keys = requireMailKeys()
  bindOrganization(organization_id)
  const scope: CodeScope = { purpose: 'sign_in', organizationId: organization_id, email }
  await lockAddress(context, { scope, keys })
  const [customer] = await sql<{ id: string; email: string; locale: string | null }>('customer-code.find-customer', findCustomer, {
    organization_id,
    email,
  })
  await issueCode(context, { scope, keys, customer: customer ?? null, recipient: customer?.email ?? null, network: null })
  return null
})

// The attempt counts even if the code is wrong: it is committed before the reply.
const attempt = `
  update customer_codes set tries = tries + 1
  where id = (
    select id from customer_codes
    where organization_id = :organization_id and organization_id = any (:scope_organizations) and purpose = 'sign_in'
      and address_hash = any (:address_hashes) and ended_at is null and expires_at > now() and tries < ${maxTries}
    order by created_at desc limit 1 for update)
  returning id, customer_id, code_hash`

const end = `update customer_codes set ended_at = now() where id = :id and organization_id = any (:scope_organizations)`

interface Attempt {
  /** Null if the code was not valid. */
  session: CodeSession | null
}

export const authenticateCustomerSession = staged(authenticateContract, {
  async commit({ organization_id, email, code }, context): Promise<Attempt> {
    const keys = requireMailKeys()
    context.bindOrganization(organization_id)
    const scope: CodeScope = { purpose: 'sign_in', organizationId: organization_id, email }
    const customerId = await useCode(context, { scope, code, keys })
    return { session: customerId === null ? null : await signIn(context, { customerId, organizationId: organization_id, email }) }
  },
  finish({ session }) {
    if (!session) throw new CustomerSessionCodeInvalidOrExpired('The code is wrong or has expired. Request a new one.')
    return session
  },
})

/** Returns the customer whose open code this is, and ends the code; null if it is not valid. */
async function useCode(
  { sql }: Transaction,
  { scope, code, keys }: { scope: CodeScope; code: string; keys: MailKeys },
): Promise<string | null> {
  const [open] = await sql<OpenCode & { customer_id: string | null }>('customer-code.attempt', attempt, {
    organization_id: scope.organizationId,
    address_hashes: hashAddresses(scope, keys),
  })
  const isRight = matchesCode(open, code, { purpose: scope.purpose, keys })
  if (!open?.customer_id || !isRight) return null
  await sql('customer-code.end', end, { id: open.id })
  return open.customer_id
}

/** Opens a session for everything of the customer, whose address is now known to be theirs. Null if the customer was deleted or
 * has another address now. The session of the checkout that created the customer covers only that purchase from now on. */
async function signIn(
  context: Transaction,
  { email, ...ids }: { customerId: string; organizationId: string; email: string },
): Promise<Attempt['session']> {
  const { em, read, sql, publish } = context
  const { customerId, organizationId } = ids
  if (!(await lockCustomer(sql, customerId))) return null
  const customer = await em.findOneOrFail(Customer, { id: customerId, deletedAt: null })
  // The code proves the address that it was sent to.
  if (customer.email.toLowerCase() !== email.toLowerCase()) return null
  await bindSessionsToCheckout(context, { customerId, checkoutId: null })
  if (!customer.emailVerified) {
    customer.emailVerified = true
    const view = await read.one(customerView, { where: 'c.id = :id', values: { id: customerId } })
    publish({ event: customerUpdated, aggregateId: customerId, organizationId, payload: view })
    await publishCustomerState(context, customerId)
  }
  return openCodeSession(context, ids)
}
