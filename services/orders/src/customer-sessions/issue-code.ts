import { randomUUID } from 'node:crypto'
import { customerCodeRequested, mailSecretContext } from '@quittance/contracts/customer-codes'
import { ServiceUnavailable, TooManyRequests } from '@quittance/contracts/errors'
import { sealSecret } from '@quittance/runtime/encryption'
import { job, type Transaction } from '@quittance/runtime/handler'
import { sharedByCheckouts, sharedByCustomers } from '@quittance/sql/sql-runner'
import { config } from '../config.ts'
import { createCode, formatCode, hashAddress, hashCode, type CodeScope } from './customer-code.ts'

/** Codes of one purpose and address within 15 minutes, the time for which a code is valid. */
const maxCodesPerAddress = 3

export type MailKeys = readonly [Uint8Array, ...Uint8Array[]]

/** Returns the keys of codes, the current one first. Throws if this installation mails none. */
export function requireMailKeys(): MailKeys {
  const [first, ...others] = config().MAIL_KEY ?? []
  if (!first) throw new ServiceUnavailable('Codes by e-mail are not set up on this installation.')
  return [first, ...others]
}

/** Returns every form in which an address may be stored: one for each key. */
export function hashAddresses(scope: CodeScope, keys: MailKeys): string[] {
  return keys.map((key) => hashAddress(scope, key))
}

const count = `
  select count(*)::int as count, ceil(extract(epoch from min(created_at) + interval '15 minutes' - now()))::int as retry_after
  from customer_codes
  where organization_id = :organization_id and organization_id = any (:scope_organizations) and ${sharedByCustomers}
    and purpose = :purpose and address_hash = any (:address_hashes) and created_at > now() - interval '15 minutes'`

/** Locks the codes of an address, and the other names, until the transaction ends. Throws if too many were requested for the address. */
export async function lockAddress(
  { sql, lockNames }: Transaction,
  { scope, keys, names = [] }: { scope: CodeScope; keys: MailKeys; names?: readonly string[] },
): Promise<void> {
  const { organizationId: organization_id, purpose } = scope
  const address_hashes = hashAddresses(scope, keys)
  await lockNames([`customer code ${address_hashes[0]}`, ...names])
  const values = { organization_id, purpose, address_hashes }
  const [usage] = await sql<{ count: number; retry_after: number | null }>('customer-code.count', count, values)
  if (!usage || usage.count < maxCodesPerAddress) return
  throw new TooManyRequests('Too many codes were requested for this address. Try again later.', Math.max(1, usage.retry_after ?? 1))
}

// A customer changes to one address at a time.
const endEarlier = `
  update customer_codes set ended_at = now()
  where organization_id = :organization_id and organization_id = any (:scope_organizations)
    and (:scope_customer::uuid is null or customer_id = :scope_customer) and ${sharedByCheckouts}
    and purpose = :purpose and ended_at is null
    and (purpose = 'sign_in' and address_hash = any (:address_hashes) or purpose = 'email_update' and customer_id = :customer_id::uuid)`

const insert = `
  insert into customer_codes (id, organization_id, customer_id, purpose, address_hash, new_email, code_hash, network, expires_at)
  select :id::uuid, :organization_id::uuid, :customer_id::uuid, :purpose::text, :address_hash::text, :new_email::text, :code_hash::text,
    :network::text, now() + interval '15 minutes'
  where :organization_id::uuid = any (:scope_organizations)
    and (:scope_customer::uuid is null or :customer_id::uuid = :scope_customer) and ${sharedByCheckouts}`

/** A code to create. */
export interface NewCode {
  scope: CodeScope
  keys: MailKeys
  /** Who signs in or changes the address; null for an unknown address. */
  customer: { id: string; locale: string | null } | null
  /** Address that the code is mailed to; null if nothing is mailed. */
  recipient: string | null
  /** Network that the request is counted under; null for none. */
  network: string | null
}

/**
 * Creates a code, ends the earlier ones, and publishes the event that mails it. Without a recipient the statements and the event are the
 * same, so that neither reply nor time shows it.
 */
export async function issueCode({ sql, publish }: Transaction, { scope, keys, customer, recipient, network }: NewCode): Promise<void> {
  const { organizationId, purpose, email } = scope
  const [id, code] = [randomUUID(), createCode()]
  const shared = { organization_id: organizationId, customer_id: customer?.id ?? null, purpose }
  await sql('customer-code.end-earlier', endEarlier, { ...shared, address_hashes: hashAddresses(scope, keys) })
  await sql('customer-code.insert', insert, {
    ...shared,
    id,
    address_hash: hashAddress(scope, keys[0]),
    new_email: purpose === 'email_update' ? email : null,
    code_hash: hashCode(code, { purpose, codeId: id, key: keys[0] }),
    network,
  })
  publish({
    event: customerCodeRequested,
    aggregateId: id,
    organizationId,
    payload: {
      code_id: id,
      purpose,
      customer_id: recipient === null ? null : (customer?.id ?? null),
      recipient,
      locale: recipient === null ? null : (customer?.locale ?? null),
      sealed_code: sealSecret(formatCode(code), { keys, context: mailSecretContext('customer_code', id) }),
    },
  })
}

const batch = 1_000

const sweep = `
  delete from customer_codes where id = any(array(
    select id from customer_codes where created_at < now() - interval '1 hour' order by created_at limit ${batch} for update skip locked)) returning 1`

/** Deletes codes an hour after they were requested: they are valid for 15 minutes, and counted for an hour. */
export const sweepCustomerCodes = job({
  name: 'sweep-customer-codes',
  everyMs: 60_000,
  async run({ systemSql }) {
    return (await systemSql('customer-codes.sweep', sweep)).length === batch
  },
})
