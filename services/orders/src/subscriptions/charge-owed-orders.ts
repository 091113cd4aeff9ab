import { LockMode } from '@mikro-orm/core'
import { callerProof } from '@quittance/contracts/caller'
import { RequestValidationError } from '@quittance/contracts/errors'
import { AlreadyCanceledSubscription } from '@quittance/contracts/subscriptions'
import type { CommandContext, Transaction } from '@quittance/runtime/handler'
import { Order } from '../orders/order.ts'
import { findChargeableMethod } from '../payment-methods/stored-methods.ts'
import type { SettledSetup } from '../payment-setups/settle-setup.ts'
import { chargeOrder } from './charge-order.ts'
import { findOwedOrders } from './owed-orders.ts'
import { Subscription } from './subscription.ts'

/** Charges what a subscription owes, oldest first. Returns whether anything is owed, and whether a payment of it is in progress now. */
export async function chargeOwedOrders(
  subscription: Subscription,
  { context, initiator }: { context: Transaction; initiator: 'schedule' | 'method_updated' },
): Promise<{ isOwing: boolean; isInProgress: boolean }> {
  const owed = await findOwedOrders(subscription, context)
  const unpaid = owed.filter(({ isPaymentInProgress }) => !isPaymentInProgress).map(({ id }) => id)
  const orders = await context.em.find(Order, { id: { $in: unpaid } }, { orderBy: { createdAt: 'asc', id: 'asc' } })
  let isInProgress = unpaid.length < owed.length
  for (const order of orders) if (await chargeOrder(context, { order, subscription, initiator })) isInProgress = true
  return { isOwing: owed.length > 0, isInProgress }
}

/**
 * Charges what the customer's subscriptions that name a new default method owe to it, at once and beside the schedule, which stays. The caller
 * has locked the customer.
 */
export async function chargeNewDefault(
  context: Transaction,
  { customerId, methodId }: { customerId: string; methodId: string },
): Promise<void> {
  const pastDue = await context.em.find(
    Subscription,
    { customerId, status: 'past_due', paymentMethodId: methodId },
    { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { createdAt: 'asc', id: 'asc' } },
  )
  for (const subscription of pastDue) await chargeOwedOrders(subscription, { context, initiator: 'method_updated' })
}

/** A method that was stored as the new default is charged at once too. */
export async function chargeStoredDefault(context: Transaction, { setup, isStored }: SettledSetup): Promise<void> {
  const { customerId, paymentMethodId: methodId } = setup
  if (isStored && setup.setDefault && methodId) await chargeNewDefault(context, { customerId, methodId })
}

/**
 * Charges a subscription to a stored method from now on, and to it what is owed, at once. The caller has locked customer and subscription. Throws
 * `RequestValidationError` if the method cannot be charged, `AlreadyCanceledSubscription` after the end.
 */
export async function choosePaymentMethod(
  subscription: Subscription,
  { id, context }: { id: string; context: Transaction },
): Promise<void> {
  if (subscription.endedAt) throw new AlreadyCanceledSubscription('The subscription has ended.')
  const { customerId } = subscription
  const method = await findChargeableMethod(context.sql, { customerId, preferred: id, mayUseDefault: false })
  if (method?.id !== id) throw RequestValidationError.field(['payment_method_id'], 'Payment method does not exist.')
  subscription.paymentMethodId = id
  if (subscription.status === 'past_due') await chargeOwedOrders(subscription, { context, initiator: 'method_updated' })
}

/** The signed-in customer takes over a subscription that anyone could have begun with the customer's address: a new default is charged for it. */
export function acceptSubscription(subscription: Subscription, { caller }: Pick<CommandContext, 'caller'>): void {
  if (callerProof(caller) !== null) subscription.isAccepted = true
}
