import { randomUUID } from 'node:crypto'
import {
  authenticateCustomerSession as authenticateContract,
  customerCodeRequested,
  CustomerSessionCodeInvalidOrExpired,
  mailSecretContext,
  requestCustomerSession as requestContract,
} from '@quittance/contracts/customer-codes'
import { customerUpdated } from '@quittance/contracts/customers'
import { ServiceUnavailable, TooManyRequests } from '@quittance/contracts/errors'
import { sealSecret } from '@quittance/runtime/encryption'
import { command, job, staged, type Transaction } from '@quittance/runtime/handler'
import { config } from '../config.ts'
import { Customer } from '../customers/customer.ts'
import { publishCustomerState } from '../customers/customer-state.ts'
import { customerView } from '../customers/customer-view.ts'
import { bindSessionsToCheckout } from './bind-sessions.ts'
import { lockCustomer } from '../customers/lock-customer.ts'
import { createCode, formatCode, hashAddress, hashCode, matchesCode, normalizeCode, type CodeScope } from './customer-code.ts'
import { openCustomerSession } from './customer-session.ts'

/** Codes of one address within 15 minutes, the time for which a code is valid. */
const maxCodesPerAddress = 3
const maxTries = 5

const count = `
  select count(*)::int as count, ceil(extract(epoch from min(created_at) + interval '15 minutes' - now()))::int as retry_after
  from customer_codes
  where organization_id = :organization_id and organization_id = any (:scope_organizations) and address_hash = any (:address_hashes)
    and created_at > now() - interval '15 minutes'`

const findCustomer = `
  select id, email, locale from customers
  where organization_id = :organization_id and organization_id = any (:scope_organizations) and lower(email) = lower(:email) and deleted_at is null`

// A new code ends the earlier ones.
const insert = `
  with ended as (
    update customer_codes set ended_at = now()
    where organization_id = :organization_id and organization_id = any (:scope_organizations) and address_hash = any (:address_hashes)
      and ended_at is null)
  insert into customer_codes (id, organization_id, customer_id, address_hash, code_hash, expires_at)
  select :id::uuid, :organization_id::uuid, :customer_id::uuid, :address_hash::text, :code_hash::text, now() + interval '15 minutes'
  where :organization_id::uuid = any (:scope_organizations)`

/** Handles known and unknown addresses by the same statements and the same event, so that neither reply nor time distinguishes them. */
export const requestCustomerSession = command(requestContract, async ({ organization_id, email }, context) => {
  const { sql, publish, lockNames, bindOrganization } = context
  const keys = requireKeys()
  bindOrganization(organization_id)
  const [key] = keys
  const scope = { organizationId: organization_id, email }
  const address_hashes = keys.map((each) => hashAddress(scope, each))
  await lockNames([`customer code ${address_hashes[0]}`])
  await assertQuota(context, { organization_id, address_hashes })
  const [customer] = await sql<{ id: string; email: string; locale: string | null }>('customer-code.find-customer', findCustomer, {
    organization_id,
    email,
  })
  const [id, code] = [randomUUID(), createCode()]
  await sql('customer-code.insert', insert, {
    id,
    organization_id,
    customer_id: customer?.id ?? null,
    address_hash: hashAddress(scope, key),
    address_hashes,
    code_hash: hashCode(code, { codeId: id, key }),
  })
  publish({
    event: customerCodeRequested,
    aggregateId: id,
    organizationId: organization_id,
    payload: {
      code_id: id,
      customer_id: customer?.id ?? null,
      recipient: customer?.email ?? null,
      locale: customer?.locale ?? null,
      sealed_code: sealSecret(formatCode(code), { keys, context: mailSecretContext('customer_code', id) }),
    },
  })
  return null
})

type Keys = [Uint8Array, ...Uint8Array[]]

function requireKeys(): Keys {
  const [first, ...others] = config().MAIL_KEY ?? []
  if (!first) throw new ServiceUnavailable('Sign-in by code is not set up on this installation.')
  return [first, ...others]
}

async function assertQuota({ sql }: Transaction, address: { organization_id: string; address_hashes: string[] }): Promise<void> {
  const [usage] = await sql<{ count: number; retry_after: number | null }>('customer-code.count', count, address)
  if (!usage || usage.count < maxCodesPerAddress) return
  throw new TooManyRequests('Too many codes were requested for this address. Try again later.', Math.max(1, usage.retry_after ?? 1))
}

// The attempt counts even if the code is wrong: it is committed before the reply.
const attempt = `
  update customer_codes set tries = tries + 1
  where id = (
    select id from customer_codes
    where organization_id = :organization_id and organization_id = any (:scope_organizations) and address_hash = any (:address_hashes)
      and ended_at is null and expires_at > now() and tries < ${maxTries}
    order by created_at desc limit 1 for update)
  returning id, customer_id, code_hash`

const end = `update customer_codes set ended_at = now() where id = :id and organization_id = any (:scope_organizations)`

interface Attempt {
  /** Null if the code was not valid. */
  session: { token: string; expires_at: string; customer_id: string } | null
}

export const authenticateCustomerSession = staged(authenticateContract, {
  async commit({ organization_id, email, code }, context): Promise<Attempt> {
    const keys = requireKeys()
    context.bindOrganization(organization_id)
    const customerId = await useCode(context, { scope: { organizationId: organization_id, email }, code: normalizeCode(code), keys })
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
  { scope, code, keys }: { scope: CodeScope; code: string; keys: Keys },
): Promise<string | null> {
  const [open] = await sql<{ id: string; customer_id: string | null; code_hash: string }>('customer-code.attempt', attempt, {
    organization_id: scope.organizationId,
    address_hashes: keys.map((key) => hashAddress(scope, key)),
  })
  const isRight = matchesCode(open?.code_hash ?? hashCode('', { codeId: '', key: keys[0] }), code, { codeId: open?.id ?? 'none', keys })
  if (!open?.customer_id || !isRight) return null
  await sql('customer-code.end', end, { id: open.id })
  return open.customer_id
}

/** Twelve hours; sessions of links last one. */
const codeSessionMs = 12 * 3_600_000

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
  const unbound = { checkoutId: null, madeByCheckoutId: null, proof: 'code' as const }
  const { session, token } = openCustomerSession(context, { ...ids, ...unbound, lifetimeMs: codeSessionMs })
  await em.flush()
  return { token, expires_at: session.expiresAt.toISOString(), customer_id: customerId }
}

const batch = 1_000

const sweep = `
  delete from customer_codes where id = any(array(
    select id from customer_codes where created_at < now() - interval '1 hour' order by created_at limit ${batch} for update skip locked)) returning 1`

/** Deletes codes an hour after they were requested: they are valid, and counted, for 15 minutes. */
export const sweepCustomerCodes = job({
  name: 'sweep-customer-codes',
  everyMs: 60_000,
  async run({ systemSql }) {
    return (await systemSql('customer-codes.sweep', sweep)).length === batch
  },
})
