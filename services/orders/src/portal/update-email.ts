import { callerNetwork, callerProof } from '@quittance/contracts/caller'
import { CustomerSessionCodeInvalidOrExpired } from '@quittance/contracts/customer-codes'
import { RequestValidationError, ResourceNotFound, TooManyRequests } from '@quittance/contracts/errors'
import { requestEmailUpdate as requestContract, verifyEmailUpdate as verifyContract } from '@quittance/contracts/portal-customers'
import { command, staged, type CommandContext } from '@quittance/runtime/handler'
import { sharedByCheckouts, sharedByCustomers } from '@quittance/sql/sql-runner'
import { bindSessionsToCheckout } from '../customer-sessions/bind-sessions.ts'
import { matchesCode, type CodeScope, type OpenCode } from '../customer-sessions/customer-code.ts'
import { openCodeSession, type CodeSession } from '../customer-sessions/customer-session.ts'
import { issueCode, lockAddress, requireMailKeys } from '../customer-sessions/issue-code.ts'
import { maxTries } from '../customer-sessions/sign-in-by-code.ts'
import { isEmailTaken } from '../customers/customer-identity.ts'
import { lockCustomer } from '../customers/lock-customer.ts'
import { changeCustomer } from '../customers/update-customer.ts'
import { requireUnboundCustomerId } from './own-customer.ts'

/** Requests of one customer within an hour: each may mail a stranger. */
const maxPerCustomer = 5
/** Requests of one network about one seller within an hour, except in sessions that the seller made: a purchase makes a customer. */
const maxPerNetwork = 20

const retryAfter = `ceil(extract(epoch from created_at + interval '1 hour' - now()))::int as retry_after`

const findLimit = `
  with recent as (
    select customer_id, network, created_at from customer_codes
    where organization_id = any (:scope_organizations) and purpose = 'email_update' and created_at > now() - interval '1 hour'
      and ${sharedByCustomers} and (customer_id = :customer_id or network = :network))
  (select ${retryAfter} from recent where customer_id = :customer_id order by created_at desc offset ${maxPerCustomer - 1} limit 1)
  union all
  (select ${retryAfter} from recent where network = :network order by created_at desc offset ${maxPerNetwork - 1} limit 1)
  order by retry_after desc limit 1`

// Looks at the other customers too, and returns only whether one has the address.
const findSelf = `
  select c.organization_id, c.locale, lower(c.email) = lower(:email) as is_own, exists (
      select from customers x where x.organization_id = c.organization_id and lower(x.email) = lower(:email) and x.deleted_at is null) as is_taken
  from customers c
  where c.id = :scope_customer and c.organization_id = any (:scope_organizations) and ${sharedByCheckouts} and c.deleted_at is null`

interface Self {
  organization_id: string
  locale: string | null
  is_own: boolean
  is_taken: boolean
}

export const requestEmailUpdate = command(requestContract, async ({ email }, context) => {
  if (await mailUpdateCode(email, context)) return null
  throw RequestValidationError.field(['email'], 'This is your e-mail address already.')
})

/**
 * Mails a code to the new address of the calling customer; returns false if it is the current one. An address that another customer has is
 * handled by the same statements and the same event, without a recipient, so that neither reply, limit nor time shows it.
 */
export async function mailUpdateCode(email: string, context: CommandContext): Promise<boolean> {
  const { caller, sql } = context
  const id = requireUnboundCustomerId(caller)
  const [self] = await sql<Self>('email-update.find-self', findSelf, { email })
  if (!self) throw new ResourceNotFound()
  if (self.is_own) return false
  const keys = requireMailKeys()
  const scope: CodeScope = { purpose: 'email_update', organizationId: self.organization_id, email }
  // The portal of a seller sends the requests of all its customers.
  const network = callerProof(caller) === 'seller' ? null : callerNetwork(caller)
  const counted = [`customer ${id}`, ...(network === null ? [] : [`network ${scope.organizationId} ${network}`])]
  await lockAddress(context, { scope, keys, names: counted.map((name) => `email update of ${name}`) })
  const [limit] = await sql<{ retry_after: number }>('email-update.find-limit', findLimit, { customer_id: id, network })
  if (limit)
    throw new TooManyRequests('Too many changes of the e-mail address were requested. Try again later.', Math.max(1, limit.retry_after))
  await issueCode(context, { scope, keys, customer: { id, locale: self.locale }, recipient: self.is_taken ? null : email, network })
  return true
}

// The attempt counts even if the code is wrong: it is committed before the reply.
const attempt = `
  update customer_codes set tries = tries + 1
  where id = (
    select id from customer_codes
    where customer_id = :scope_customer and organization_id = any (:scope_organizations) and ${sharedByCheckouts} and purpose = 'email_update'
      and ended_at is null and expires_at > now() and tries < ${maxTries}
    for update)
  returning id, code_hash, new_email, organization_id`

const end = `
  update customer_codes set ended_at = now()
  where id = :id and customer_id = :scope_customer and organization_id = any (:scope_organizations) and ${sharedByCheckouts}`

interface OpenUpdate extends OpenCode {
  /** Codes for this purpose have one. */
  new_email: string | null
  organization_id: string
}

export const verifyEmailUpdate = staged(verifyContract, {
  async commit({ token }, context): Promise<{ session: CodeSession | null }> {
    const customerId = requireUnboundCustomerId(context.caller)
    const keys = requireMailKeys()
    const [open] = await context.sql<OpenUpdate>('email-update.attempt', attempt)
    const isRight = matchesCode(open, token, { purpose: 'email_update', keys })
    return { session: open && isRight ? await changeAddress(open, { customerId, context }) : null }
  },
  finish({ session }) {
    if (!session) throw new CustomerSessionCodeInvalidOrExpired('The code is wrong or has expired. Request a new one.')
    return session
  },
})

/**
 * Gives the customer the proven address, which ends all their sessions, and opens a new one. Null if the customer was deleted or another one
 * got the address since the code was requested.
 */
async function changeAddress(
  { id, new_email: email, organization_id: organizationId }: OpenUpdate,
  { customerId, context }: { customerId: string; context: CommandContext },
): Promise<CodeSession | null> {
  const { sql } = context
  if (email === null || !(await lockCustomer(sql, customerId))) return null
  if (await isEmailTaken(context, { id: customerId, organizationId, email })) return null
  await sql('email-update.end', end, { id })
  await bindSessionsToCheckout(context, { customerId, checkoutId: null })
  await changeCustomer({ id: customerId, email, email_verified: true }, context)
  return openCodeSession(context, { customerId, organizationId })
}
