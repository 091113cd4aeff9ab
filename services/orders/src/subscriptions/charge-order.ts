import { sharedByCheckouts } from '@quittance/sql/sql-runner'
import type { Transaction } from '@quittance/runtime/handler'
import type { Order } from '../orders/order.ts'
import { findChargeableMethod } from '../payment-methods/stored-methods.ts'
import { findAccountOfSender, loadProviderAccount } from '../payments/provider-account.ts'
import { startPayment } from '../payments/start-payment.ts'
import type { Subscription } from './subscription.ts'

/** Networks charge for, and refuse, more attempts with a declined method. */
const maxDeclines = 10

/** A decline of this order that is final for the method, or too many declines of the method, by the clock of the organization. */
const rejected = `
  select 1 from organizations g
  where g.id = any (:scope_organizations) and g.id = :organization_id and (
    exists (
      select from payments p join orders o on o.id = p.order_id
      where p.order_id = :order_id and p.payment_method_id = :method_id and p.decline_kind in ('hard', 'needs_buyer')
        and (:scope_customer::uuid is null or o.customer_id = :scope_customer) and ${sharedByCheckouts})
    or (
      select count(*) from payments p
      where p.payment_method_id = :method_id and p.failure_reason = 'declined'
        and p.created_at + p.clock_offset_ms * interval '1 millisecond' > now() + g.clock_offset_ms * interval '1 millisecond' - interval '30 days'
    ) >= ${maxDeclines})`

interface Charge {
  order: Order
  subscription: Subscription
  /** `method_updated`: the buyer chose another default method; `seller`: on request of the seller. Both are beside the schedule. */
  initiator?: 'schedule' | 'method_updated' | 'seller'
  /** The caller itself makes the calls until then; otherwise a job does. */
  leasedUntil?: Date
}

/**
 * Charges an order to the method of its subscription, or the customer's default one, without the buyer; a buyer who sent the last payment is
 * asked to send this one too. Returns false if there is none, if the method was declined for this order in a way that only the buyer or another
 * method can change, or if it was declined ten times within 30 days.
 */
export async function chargeOrder(
  context: Transaction,
  { order, subscription, initiator = 'schedule', leasedUntil }: Charge,
): Promise<boolean> {
  const { sql } = context
  const { organizationId, customerId, paymentMethodId, paymentToken } = subscription
  const found = await findChargeableMethod(sql, { customerId, preferred: paymentMethodId ?? null })
  const account = await loadProviderAccount(sql, { organizationId, paymentAccountId: found?.accountId })
  const start = { order, account, initiator, keep: false, sandboxToken: paymentToken ?? '', ...(leasedUntil && { leasedUntil }) } as const
  if (found) {
    const ids = { organization_id: organizationId, order_id: order.id, method_id: found.id }
    const declines = await sql('payment.rejected-method', rejected, ids)
    if (declines.length > 0) return false
    await startPayment(context, { ...start, source: { method: found.method }, paymentMethodId: found.id })
    return true
  }
  const sender = await findAccountOfSender(sql, subscription.id)
  if (sender) {
    await startPayment(context, { ...start, account: sender, source: null })
    return true
  }
  // A subscription of the release before has a token of the sandbox.
  if (!paymentToken) return false
  await startPayment(context, { ...start, source: { token: paymentToken } })
  return true
}
