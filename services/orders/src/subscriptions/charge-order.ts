import { sharedByCheckouts, type ScopedSql } from '@quittance/sql/sql-runner'
import type { Transaction } from '@quittance/runtime/handler'
import type { Order } from '../orders/order.ts'
import { findChargeableMethod, type ChargeableMethod } from '../payment-methods/stored-methods.ts'
import { findAccountOfSender, findSandbox, loadProviderAccount } from '../payments/provider-account.ts'
import { startPayment, type PaymentStart } from '../payments/start-payment.ts'
import { getCapabilities } from '../providers/provider-of.ts'
import { countDeclines, finalDeclines, maxMethodDeclines, mayUseDefault } from './charge-conditions.ts'
import type { Subscription } from './subscription.ts'

/** Fewer for what the buyer or the seller can repeat at once, such as a change of product: renewals need the others. */
export const maxRepeatableDeclines = 4

/** A decline of this order that is final for the method, or too many declines of the method, by the clock of the organization. */
const rejected = `
  select 1 from organizations g
  where g.id = any (:scope_organizations) and g.id = :organization_id and (
    exists (${finalDeclines(':order_id', ':method_id')} and (:scope_customer::uuid is null or o.customer_id = :scope_customer) and ${sharedByCheckouts})
    or (${countDeclines(':method_id', "now() + g.clock_offset_ms * interval '1 millisecond'")}) >= :max_declines::int)`

interface Charge {
  order: Order
  subscription: Subscription
  /** `method_updated`: the buyer chose another default method; `seller`: on request of the seller. Both are beside the schedule. */
  initiator?: 'schedule' | 'method_updated' | 'seller'
  /** The caller itself makes the calls until then; otherwise a job does. */
  leasedUntil?: Date
  /** Declines of the method within 30 days from which it is not charged. */
  maxDeclines?: number
}

/**
 * Charges an order to the method of its subscription, or the customer's default one, without the buyer; a buyer who sent the last payment is
 * asked to send this one too. Returns false if there is none, if the method was declined for this order in a way that only the buyer or another
 * method can change, or if it was declined too often within 30 days.
 */
export async function chargeOrder(
  context: Transaction,
  { order, subscription, initiator = 'schedule', leasedUntil, maxDeclines = maxMethodDeclines }: Charge,
): Promise<boolean> {
  const { sql } = context
  const { organizationId, paymentToken } = subscription
  const means = await findMeans(sql, subscription)
  if (!means) return false
  const { method, ...paid } = means
  const declines = method
    ? await sql('payment.rejected-method', rejected, {
        organization_id: organizationId,
        order_id: order.id,
        method_id: method.id,
        max_declines: maxDeclines,
      })
    : []
  if (declines.length > 0) return false
  const start = { order, ...paid, initiator, keep: false, sandboxToken: paymentToken ?? '', ...(leasedUntil && { leasedUntil }) }
  await startPayment(context, { ...start, ...(method && { paymentMethodId: method.id }) })
  return true
}

const findAllowed = `
  select 1 from subscriptions s
  where s.id = :id and s.organization_id = any (:scope_organizations) and (:scope_customer::uuid is null or s.customer_id = :scope_customer)
    and ${sharedByCheckouts} and ${mayUseDefault}`

/**
 * Returns the method that a subscription is charged to: the one it names, otherwise the customer's default one. Anyone could have typed the
 * address with which a subscription began: its orders are charged to the default method only if the buyer was proven to be the customer, if
 * the signed-in customer chose something for it, or in a request of a session of the whole customer.
 */
export async function findMethod(
  sql: ScopedSql,
  { subscription, isChosenByCustomer }: { subscription: Subscription; isChosenByCustomer: boolean },
): Promise<ChargeableMethod | null> {
  const { id, customerId, paymentMethodId } = subscription
  const wanted = { customerId, preferred: paymentMethodId ?? null }
  const found = await findChargeableMethod(sql, { ...wanted, mayUseDefault: isChosenByCustomer })
  if (found || isChosenByCustomer) return found
  const isAllowed = (await sql('subscription.may-use-default', findAllowed, { id })).length > 0
  return isAllowed ? findChargeableMethod(sql, { ...wanted, mayUseDefault: true }) : null
}

/** How a subscription is charged without the buyer. `method` is null if the buyer sends the money, or for a token. */
type Means = Pick<PaymentStart, 'account' | 'source'> & { method: ChargeableMethod | null }

/** Returns how the orders of a subscription are charged; null if they cannot be. */
async function findMeans(sql: ScopedSql, subscription: Subscription): Promise<Means | null> {
  const { id, organizationId, paymentToken, paymentMethodId } = subscription
  const method = await findMethod(sql, { subscription, isChosenByCustomer: false })
  if (method) {
    const account = await loadProviderAccount(sql, { organizationId, paymentAccountId: method.accountId })
    return { account, source: { method: method.method }, method }
  }
  const sender = await findAccountOfSender(sql, id)
  if (sender) return { account: sender, source: null, method }
  // A subscription of release 0.1.0 has a token of the sandbox. One that names a method is not charged otherwise while that is blocked.
  const sandbox = paymentToken && !paymentMethodId ? await findSandbox(sql, organizationId) : null
  return paymentToken && sandbox ? { account: sandbox, source: { token: paymentToken }, method } : null
}

/** Whether the account that charges a subscription takes an amount. Without an account nothing limits it. */
export async function acceptsCharge(
  sql: ScopedSql,
  { subscription, amount }: { subscription: Subscription; amount: bigint },
): Promise<boolean> {
  if (amount === 0n) return true
  const means = await findMeans(sql, subscription)
  return (means && getCapabilities(means.account)?.accepts({ amount, currency: subscription.currency })) ?? true
}
