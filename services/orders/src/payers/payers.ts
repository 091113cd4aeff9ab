import { sharedByCheckouts, type ScopedSql } from '@quittance/sql/sql-runner'
import type { PayerDetails } from '../providers/provider.ts'

/** A customer at a provider's account; the account is null for the sandbox. */
export interface PayerKey {
  customerId: string
  paymentAccountId: string | null
}

/** A payer as it is stored. */
export interface Payer extends PayerDetails {
  /** Counts what was stored about it: 1 before the first id. */
  version: number
}

interface PayerRow {
  id: string
  version: number
  customer_id: string
  organization_id: string
  provider_payer: string | null
  request: { name: string | null; email: string; country: string | null }
}

// The details are those of the first payment or setup: a repeated call sends the same.
const ensure = `
  insert into payers (id, created_at, organization_id, customer_id, payment_account_id, request)
  select gen_random_uuid(), now(), organization_id, id, :account::uuid,
    jsonb_build_object('name', name, 'email', email, 'country', billing_address->>'country')
  from customers where id = :customer_id and organization_id = any (:scope_organizations)
    and (:scope_customer::uuid is null or id = :scope_customer) and ${sharedByCheckouts}
  on conflict do nothing`

/** Records a customer as a payer of an account, once. No call is made. */
export async function ensurePayer(sql: ScopedSql, { customerId, paymentAccountId }: PayerKey): Promise<void> {
  await sql('payer.ensure', ensure, { account: paymentAccountId, customer_id: customerId })
}

const find = `
  select id, version, customer_id, organization_id, provider_payer, request from payers
  where customer_id = :customer_id and payment_account_id is not distinct from :account::uuid and organization_id = any (:scope_organizations)`

/** Loads a payer. The customer of a payment of release 0.1.0 may be none yet. Throws if the customer is not one of the organization. */
export async function loadPayer(sql: ScopedSql, key: PayerKey): Promise<Payer> {
  const findPayer = () => sql<PayerRow>('payer.find', find, { customer_id: key.customerId, account: key.paymentAccountId })
  let [known] = await findPayer()
  if (!known) {
    await ensurePayer(sql, key)
    ;[known] = await findPayer()
  }
  if (!known) throw new Error(`Customer ${key.customerId} does not exist in the organization`)
  const { id, version, customer_id: customer, organization_id: organization, provider_payer: payer, request } = known
  return { id, version, payer, ...request, references: { organization, customer } }
}

const save = `
  update payers set provider_payer = coalesce(provider_payer, :payer), modified_at = now(), version = version + 1
  where customer_id = :customer_id and payment_account_id is not distinct from :account::uuid and organization_id = any (:scope_organizations)`

/** Stores the provider's id of the payer; the first one stays. */
export async function savePayer(sql: ScopedSql, { key, payer }: { key: PayerKey; payer: string }): Promise<void> {
  await sql('payer.save', save, { payer, customer_id: key.customerId, account: key.paymentAccountId })
}

const forget = `
  update payers set provider_payer = null, modified_at = now(), version = version + 1
  where customer_id = :customer_id and payment_account_id is not distinct from :account::uuid and provider_payer = :payer
    and organization_id = any (:scope_organizations)`

/** Forgets the provider's id of a payer that was deleted there, unless another one was stored since. */
export async function forgetPayer(sql: ScopedSql, { key, payer }: { key: PayerKey; payer: string | null }): Promise<void> {
  await sql('payer.forget', forget, { payer, customer_id: key.customerId, account: key.paymentAccountId })
}
