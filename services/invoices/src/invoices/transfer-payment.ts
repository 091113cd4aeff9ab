import type { InvoiceSource } from '@quittance/contracts/invoice-source'
import type { Transaction } from '@quittance/runtime/handler'
import type { DocumentSource } from './document-snapshot.ts'

const insert = `
  insert into transfer_payments (order_id, organization_id, paid_at, payment)
  select :order_id::uuid, :organization_id::uuid, :paid_at::timestamptz, :payment::jsonb where :organization_id::uuid = any (:scope_organizations)
  on conflict do nothing`

/** Records the payment of an order whose invoice was issued before it. */
export async function recordTransferPayment(
  invoiced: DocumentSource,
  { order_id, organization, paid_at, payment }: InvoiceSource,
  { sql }: Pick<Transaction, 'sql'>,
): Promise<void> {
  if (!('transfer' in invoiced) || paid_at === null) return
  const values = { order_id, organization_id: organization.id, paid_at, payment: payment ? JSON.stringify(payment) : null }
  await sql('invoice.record-transfer-payment', insert, values)
}

const select = `
  select to_json(paid_at) #>> '{}' as paid_at, payment from transfer_payments
  where order_id = :order_id and organization_id = any (:scope_organizations)`

/** Returns the order as paid if it was paid since its invoice was issued: no later document asks for the money again. */
export async function applyTransferPayment(source: DocumentSource, { sql }: Pick<Transaction, 'sql'>): Promise<DocumentSource> {
  if (!('transfer' in source)) return source
  const { transfer: _transfer, ...order } = source
  const [paid] = await sql<Pick<InvoiceSource, 'paid_at' | 'payment'>>('invoice.transfer-payment', select, { order_id: order.order_id })
  return paid ? { ...order, ...paid } : source
}
