import type { ScopedSql } from '@quittance/runtime/sql-runner'
import type { PayerDetails } from '../providers/provider.ts'

/** The order of a payment leads to its customer; the account is null for the sandbox. */
interface PayerKey {
  orderId: string
  paymentAccountId?: string | null | undefined
}

interface PayerRow {
  id: string
  customer_id: string
  organization_id: string
  provider_payer: string | null
  request: { name: string | null; email: string; country: string | null }
}

const ofPayment = `
  select y.id, y.customer_id, y.organization_id, y.provider_payer, y.request
  from payers y join orders o on o.customer_id = y.customer_id
  where o.id = :order_id and y.payment_account_id is not distinct from :account::uuid and y.organization_id = any (:scope_organizations)`

const insertMissing = `
  insert into payers (id, created_at, organization_id, customer_id, payment_account_id, request)
  select gen_random_uuid(), now(), c.organization_id, c.id, :account::uuid,
    jsonb_build_object('name', c.name, 'email', c.email, 'country', c.billing_address->>'country')
  from customers c join orders o on o.customer_id = c.id where o.id = :order_id and c.organization_id = any (:scope_organizations)
  on conflict do nothing`

/** Loads the payer of a payment. A payment of the release before may have none yet. */
export async function loadPayer(sql: ScopedSql, { orderId, paymentAccountId }: PayerKey): Promise<PayerDetails> {
  const values = { order_id: orderId, account: paymentAccountId ?? null }
  const [known] = await sql<PayerRow>('payer.find', ofPayment, values)
  if (!known) {
    await sql('payer.insert-missing', insertMissing, values)
    return loadPayer(sql, { orderId, paymentAccountId })
  }
  const { id, customer_id: customer, organization_id: organization, provider_payer: payer, request } = known
  return { id, payer, ...request, references: { organization, customer } }
}

const save = `
  update payers set provider_payer = coalesce(provider_payer, :payer), modified_at = now(), version = version + 1
  where customer_id = (select customer_id from orders where id = :order_id) and payment_account_id is not distinct from :account::uuid
    and organization_id = any (:scope_organizations)`

/** Stores the provider's id of the payer; the first one stays. */
export async function savePayer(sql: ScopedSql, { payment, payer }: { payment: PayerKey; payer: string }): Promise<void> {
  await sql('payer.save', save, { payer, order_id: payment.orderId, account: payment.paymentAccountId ?? null })
}
