import { LockMode } from '@mikro-orm/core'
import type { Transaction } from '@quittance/runtime/handler'
import { sharedByCheckouts } from '@quittance/sql/sql-runner'
import { lockCustomer } from '../customers/lock-customer.ts'
import { Order } from './order.ts'

const lockSubscription = `
  select 1 from subscriptions where id = :id and organization_id = any (:scope_organizations)
    and (:scope_customer::uuid is null or customer_id = :scope_customer) and ${sharedByCheckouts} for update`

/** An order, and the rows that are locked before it. */
interface OrderToLock {
  id: string
  customerId: string
  /** Null or absent for an order without a subscription. */
  subscriptionId?: string | null | undefined
}

/** Locks in the order that all transactions keep: customer, subscription, order. Returns the order as it is under its lock. */
export async function lockOrder(
  { id, customerId, subscriptionId }: OrderToLock,
  { em, sql }: Pick<Transaction, 'em' | 'sql'>,
): Promise<Order> {
  await lockCustomer(sql, customerId)
  if (subscriptionId) await sql('order.lock-subscription', lockSubscription, { id: subscriptionId })
  return em.findOneOrFail(Order, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
}
