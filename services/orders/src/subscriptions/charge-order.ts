import { sharedByCheckouts } from '@quittance/runtime/sql-runner'
import type { Transaction } from '@quittance/runtime/handler'
import type { Order } from '../orders/order.ts'
import { findChargeableMethod } from '../payment-methods/stored-methods.ts'
import { findAccountOfSender, loadProviderAccount } from '../payments/provider-account.ts'
import { startPayment } from '../payments/start-payment.ts'
import type { Subscription } from './subscription.ts'

const finalDecline = `
  select 1 from payments p join orders o on o.id = p.order_id
  where p.order_id = :order_id and p.payment_method_id = :method_id and p.decline_kind in ('hard', 'needs_buyer')
    and p.organization_id = any (:scope_organizations) and (:scope_customer::uuid is null or o.customer_id = :scope_customer) and ${sharedByCheckouts}
  limit 1`

/**
 * Charges an order to the method of its subscription, or the customer's default one, without the buyer; a buyer who sent the last payment is
 * asked to send this one too. Returns false if there is none, or if the method was declined for this order in a way that only the buyer or another method can change.
 */
export async function chargeOrder(
  context: Transaction,
  { order, subscription }: { order: Order; subscription: Subscription },
): Promise<boolean> {
  const { sql } = context
  const { organizationId, customerId, paymentMethodId, paymentToken } = subscription
  const found = await findChargeableMethod(sql, { customerId, preferred: paymentMethodId ?? null })
  const account = await loadProviderAccount(sql, { organizationId, paymentAccountId: found?.accountId })
  const start = { order, account, initiator: 'schedule', keep: false, sandboxToken: paymentToken ?? '' } as const
  if (found) {
    const declined = await sql('payment.final-decline', finalDecline, { order_id: order.id, method_id: found.id })
    if (declined.length > 0) return false
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
