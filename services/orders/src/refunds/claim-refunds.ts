import type { RefundRequest } from '../payments/payment-processor.ts'

/** A refund for which this process may call the processor until its lease expires. */
export interface ClaimedRefund {
  id: string
  status: 'pending' | 'succeeded'
  organization_id: string
  order_id: string
  amount: string
  currency: string
  payment_id: string
  confirmation_token: string
  /** Customer whose benefits the refund revokes; null if it revokes none. */
  revoked_customer_id: string | null
}

const isFree = '(leased_until is null or leased_until < now())'

const claim = (chosen: string) => `
  update refunds r set leased_until = now() + :lease * interval '1 millisecond'
  from payments p
  where p.order_id = r.order_id and p.status = 'succeeded' and r.id in (${chosen} for update skip locked)
  returning r.id, r.status, r.organization_id, r.order_id, (r.amount + r.tax_amount)::text as amount, r.currency, p.id as payment_id,
    p.confirmation_token,
    case when r.revoke_benefits then (select customer_id from orders where id = r.order_id) end as revoked_customer_id`

/** A recorded refund without a current lease. */
export const claimRefund = claim(`select id from refunds
  where id = :id and organization_id = any (:scope_organizations) and status = 'pending' and ${isFree}`)

/** Refunds to submit (again if the result is unknown), and refunds that the bank may have returned. */
export const claimDueRefunds = claim(`select id from refunds
  where (status = 'pending' and next_check_at <= now() or due_at <= now()) and ${isFree}
  order by coalesce(next_check_at, due_at) limit :limit`)

/** Builds the processor request; it is the same for every call about one refund. */
export function toRefundRequest(row: ClaimedRefund): RefundRequest {
  return {
    refundId: row.id,
    paymentId: row.payment_id,
    amount: BigInt(row.amount),
    currency: row.currency,
    confirmationToken: row.confirmation_token,
  }
}
