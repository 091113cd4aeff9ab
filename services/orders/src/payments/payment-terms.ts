import { sharedByCheckouts, type ScopedSql } from '@quittance/sql/sql-runner'
import type { Order } from '../orders/order.ts'
import type { Payment } from './payment.ts'

interface Terms {
  hash: string
  /** For the provider's records. */
  description: string
  /** How far the test clock of the organization is ahead. */
  clockOffsetMs: number
}

/**
 * A subscription that ended since is another term: its order is not needed any more, except one that was placed after the end. So is the price of a
 * subscription that an upgrade would replace.
 */
const terms = `
  select encode(sha256(convert_to(concat_ws(' ', o.total_amount, o.net_amount, o.tax_amount, o.currency, o.product_id, o.subscription_id,
      s.ended_at is not null, case when o.billing_reason = 'subscription_update' and o.checkout_id is not null then nullif(s.price_amount, 0) end),
      'UTF8')), 'hex') as hash, p.name as description,
    coalesce((select clock_offset_ms from organizations g where g.id = o.organization_id), 0)::float8 as "clockOffsetMs"
  from orders o join products p on p.id = o.product_id left join subscriptions s on s.id = o.subscription_id
  where o.id = :order_id and o.organization_id = any (:scope_organizations) and (:scope_customer::uuid is null or o.customer_id = :scope_customer)
    and ${sharedByCheckouts}`

/** Returns a digest of what is bought by an order and for how much. */
export async function loadTerms(sql: ScopedSql, orderId: string): Promise<Terms> {
  const [row] = await sql<Terms>('payment.terms', terms, { order_id: orderId })
  if (!row) throw new Error(`Order ${orderId} does not exist`)
  return row
}

/** Whether what an order buys, and for how much, is the same as when the payment started. */
export async function hasSameTerms(sql: ScopedSql, { order, payment }: { order: Order; payment: Payment }): Promise<boolean> {
  if (!payment.termsHash) return payment.amount === order.totalAmount && payment.currency === order.currency
  return (await loadTerms(sql, order.id)).hash === payment.termsHash
}
