import type { Transaction } from '@quittance/runtime/handler'
import { reactionPoint } from '@quittance/runtime/reactions'
import { lockOrder } from '../orders/lock-order.ts'
import type { Order } from '../orders/order.ts'
import { detachCustomerMethods } from '../payment-methods/detach-method.ts'
import { storeMethod } from '../payment-methods/stored-methods.ts'
import { lockCustomer } from '../customers/lock-customer.ts'
import type { MethodDetails } from '../providers/provider.ts'
import { afterPaymentSettled } from './after-payment-settled.ts'
import type { Payment } from './payment.ts'
import type { Effect, PaymentProgress } from './payment-progress.ts'
import { hasSameTerms } from './payment-terms.ts'

/** Money was received that no order needs. */
export const afterSurplusReceived = reactionPoint<{ payment: Payment }>('orders.payment.surplus-received')

const concerned = `
  select o.id as order_id, o.customer_id, o.subscription_id from payments p join orders o on o.id = p.order_id
  where p.id = :id and p.organization_id = any (:scope_organizations)`

/** Locks what a settled payment changes, before the caller locks the payment. */
export async function lockForSettlement(context: Transaction, paymentId: string): Promise<Order> {
  const [row] = await context.sql<{ order_id: string; customer_id: string; subscription_id: string | null }>(
    'payment.concerned',
    concerned,
    {
      id: paymentId,
    },
  )
  if (!row) throw new Error(`Payment ${paymentId} does not exist`)
  return lockOrder({ id: row.order_id, customerId: row.customer_id, subscriptionId: row.subscription_id }, context)
}

const close = `
  update payments set state = 'closing', status = 'failed', failure_reason = 'canceled', action = null, checks = 0, next_check_at = now(),
    due_at = null, version = version + 1
  where order_id = :order_id and (:except::uuid is null or id <> :except::uuid) and is_open and state <> 'closing'
    and organization_id = any (:scope_organizations)`

/**
 * Closes the payments of an order that are not needed any more: each is canceled at the provider, and returned if it succeeds nevertheless.
 * The caller has locked the order.
 */
export async function closePayments(
  { sql }: Pick<Transaction, 'sql'>,
  { orderId, except }: { orderId: string; except?: string },
): Promise<void> {
  await sql('payment.close', close, { order_id: orderId, except: except ?? null })
}

const competing = `
  select 1 from payments
  where order_id = :order_id and id <> :id and (is_open or applied_at is not null) and organization_id = any (:scope_organizations)`

interface Settlement {
  order: Order
  payment: Payment
  progress: PaymentProgress
  effects: readonly Effect[]
  nextCheckAt: Date | null
}

/** Stores a new progress with everything that follows from it. The caller has locked everything with `lockForSettlement`. */
export async function settlePayment(context: Transaction, settlement: Settlement): Promise<void> {
  const { now, react } = context
  const { order, payment, progress, effects, nextCheckAt } = settlement
  const captured = effects.find((each) => each.effect === 'captured')
  const isApplied = captured !== undefined && (await isNeeded(context, { order, payment }))
  if (isApplied) await closePayments(context, { orderId: order.id, except: payment.id })
  payment.apply(progress, { now, nextCheckAt })
  if (captured) {
    payment.capturedAmount = captured.received.amount
    payment.appliedAt = isApplied ? now : null
    payment.surplusAt = isApplied ? null : now
    // Also that of a surplus: the buyer has stored it at the provider.
    if (payment.request.keep && captured.method)
      payment.paymentMethodId = await keepMethod(context, { order, payment, method: captured.method })
    await (isApplied ? react(afterPaymentSettled, { order, payment, isPaid: true }) : react(afterSurplusReceived, { payment }))
  }
  if (effects.some((each) => each.effect === 'failed')) await fail(context, { order, payment })
}

/** The provider has stored the method: that of a customer who was deleted since is detached there. */
async function keepMethod(
  context: Transaction,
  { order: { customerId }, payment, method }: Pick<Settlement, 'order' | 'payment'> & { method: MethodDetails },
): Promise<string | null> {
  const id = await storeMethod(context.sql, { customerId, accountId: payment.paymentAccountId ?? null, method })
  if (id !== null && !(await lockCustomer(context.sql, customerId))) await detachCustomerMethods(context, { customerId })
  return id
}

/** Whether a received payment pays its order: the order is pending and not voided, with the terms with which the payment started. */
async function isNeeded({ sql }: Transaction, { order, payment }: Pick<Settlement, 'order' | 'payment'>): Promise<boolean> {
  return order.isPayable() && hasSameTerms(sql, { order, payment })
}

/** Nothing was paid. The order and its subscription are only concerned if no other payment of the order is open or applied. */
async function fail({ sql, react }: Transaction, { order, payment }: Pick<Settlement, 'order' | 'payment'>): Promise<void> {
  if (order.status !== 'pending') return
  const others = await sql('payment.competing', competing, { order_id: order.id, id: payment.id })
  if (others.length === 0) await react(afterPaymentSettled, { order, payment, isPaid: false })
}
