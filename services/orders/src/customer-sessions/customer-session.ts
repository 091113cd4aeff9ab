import { defineEntity, p } from '@mikro-orm/core'
import { organizationFilter } from '@quittance/runtime/database'
import { aggregateProperties } from '@quittance/runtime/schema'
import { hashToken, mintToken } from '@quittance/runtime/credential'
import { type Transaction, job } from '@quittance/runtime/handler'
import { systemQuery } from '@quittance/runtime/system-handler'
import type { CustomerProof } from '@quittance/contracts/caller'
import { verifyCustomerSession as verifyCustomerSessionContract } from '@quittance/contracts/customer-sessions'
import { InvalidToken } from '@quittance/contracts/errors'

export const CustomerSessionSchema = defineEntity({
  name: 'CustomerSession',
  tableName: 'customer_sessions',
  properties: {
    ...aggregateProperties,
    organizationId: p.uuid(),
    customerId: p.uuid(),
    /** The only checkout the session gives access to; null for everything of the customer. */
    checkoutId: p.uuid().nullable(),
    /**
     * The checkout that created the customer and therefore got a session for everything. The session is bound to it when another checkout
     * buys as the same customer.
     */
    madeByCheckoutId: p.uuid().nullable(),
    /** How the customer was proven; null if the e-mail address was only typed. */
    proof: p.text().$type<CustomerProof>().nullable(),
    tokenHash: p.text(),
    expiresAt: p.datetime(),
  },
  filters: organizationFilter,
})
export class CustomerSession extends CustomerSessionSchema.class {}
CustomerSessionSchema.setClass(CustomerSession)

/** One hour; a session cannot be renewed. */
const customerSessionMs = 3_600_000

interface NewSession {
  customerId: string
  organizationId: string
  /** The only checkout the session gives access to; null for everything of the customer. */
  checkoutId: string | null
  /** The checkout that created the customer; null for other sessions. */
  madeByCheckoutId: string | null
  /** How the customer was proven; null if the e-mail address was only typed. */
  proof: CustomerProof | null
  /** Default: one hour. */
  lifetimeMs?: number
}

/** Creates a session and its token; only the hash is stored. */
export function openCustomerSession(
  { em, now }: Transaction,
  { lifetimeMs = customerSessionMs, ...session }: NewSession,
): { session: CustomerSession; token: string } {
  const token = mintToken('qt_cst_')
  const expiresAt = new Date(now.getTime() + lifetimeMs)
  return { session: em.create(CustomerSession, { ...session, tokenHash: hashToken(token), expiresAt }), token }
}

/** Twelve hours; sessions of links last one. */
const codeSessionMs = 12 * 3_600_000

/** A session of a customer who entered a mailed code. */
export interface CodeSession {
  token: string
  expires_at: string
  customer_id: string
}

/** Opens a session for everything of a customer, whose address a mailed code has proven. */
export async function openCodeSession(context: Transaction, ids: { customerId: string; organizationId: string }): Promise<CodeSession> {
  const unbound = { checkoutId: null, madeByCheckoutId: null, proof: 'code' as const }
  const { session, token } = openCustomerSession(context, { ...ids, ...unbound, lifetimeMs: codeSessionMs })
  await context.em.flush()
  return { token, expires_at: session.expiresAt.toISOString(), customer_id: ids.customerId }
}

/** Deletes all sessions of a customer. */
export async function deleteCustomerSessions({ em }: Transaction, { customerId }: { customerId: string }): Promise<void> {
  await em.nativeDelete(CustomerSession, { customerId })
}

interface SessionRow {
  token_id: string
  organization_id: string
  customer_id: string
  checkout_id: string | null
  proof: CustomerProof | null
  expires_at: string
}

const reason = 'finds a customer session by the hash of its token: the caller is not known yet'

const find = `
  select s.id as token_id, s.organization_id, s.customer_id, s.checkout_id, s.proof,
    to_json(s.expires_at)#>>'{}' as expires_at
  from customer_sessions s join customers c on c.id = s.customer_id and c.deleted_at is null
  where s.token_hash = :hash and s.expires_at > now()`

export const verifyCustomerSession = systemQuery(verifyCustomerSessionContract, { reason }, async ({ hash }, { systemSql }) => {
  const [session] = await systemSql<SessionRow>('customer-session.verify', find, { hash })
  if (!session) throw new InvalidToken('The access token provided is expired, revoked, malformed, or invalid for other reasons.')
  const { expires_at, ...identity } = session
  return { caller: { kind: 'customer' as const, ...identity }, expires_at }
})

const batch = 1_000

const sweep = `
  delete from customer_sessions where id = any(array(
    select id from customer_sessions where expires_at <= now() order by expires_at limit ${batch} for update skip locked)) returning 1`

/** Deletes expired sessions. Replicas share the work: each skips rows that another is deleting. */
export const sweepCustomerSessions = job({
  name: 'sweep-customer-sessions',
  everyMs: 60_000,
  async run({ systemSql }) {
    return (await systemSql('customer-sessions.sweep', sweep)).length === batch
  },
})
