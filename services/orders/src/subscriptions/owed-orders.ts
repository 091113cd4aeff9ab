import { sharedByCheckouts } from '@quittance/sql/sql-runner'
import type { Transaction } from '@quittance/runtime/handler'
import type { Subscription } from './subscription.ts'

/** An order of a subscription that is not paid yet. */
export interface OwedOrder {
  id: string
  /** Its payment is not settled yet, or can still be paid at the provider. */
  isPaymentInProgress: boolean
}

const owed = `
  select o.id, exists (select from payments p where p.order_id = o.id and p.is_open) as "isPaymentInProgress"
  from orders o
  where o.subscription_id = :subscription_id and o.status = 'pending'
    and o.organization_id = any (:scope_organizations) and (:scope_customer::uuid is null or o.customer_id = :scope_customer)
    and ${sharedByCheckouts} and (o.checkout_id is null or o.billing_reason <> 'subscription_update')
  order by o.created_at, o.id`

/**
 * Loads the unpaid orders of a subscription, oldest first, without those of upgrades by a checkout, which only the buyer pays. The caller
 * has locked the subscription.
 */
export function findOwedOrders({ id }: Pick<Subscription, 'id'>, { sql }: Pick<Transaction, 'sql'>): Promise<OwedOrder[]> {
  return sql<OwedOrder>('subscription.owed-orders', owed, { subscription_id: id })
}

const awaited = `
  select 1 from orders o
  where o.subscription_id = :subscription_id and o.status = 'pending'
    and o.organization_id = any (:scope_organizations) and (:scope_customer::uuid is null or o.customer_id = :scope_customer)
    and ${sharedByCheckouts} and (o.checkout_id is null or o.billing_reason <> 'subscription_update'
      or exists (select from payments p where p.order_id = o.id and p.is_open))
  limit 1`

/** Whether a payment of a subscription is still to come. An upgrade that its buyer gave up counts no longer. */
export async function isPaymentAwaited({ id }: Pick<Subscription, 'id'>, { sql }: Pick<Transaction, 'sql'>): Promise<boolean> {
  return (await sql('subscription.awaited-order', awaited, { subscription_id: id })).length > 0
}

const withdrawn = `
  select 1 from disputes d join payments p on p.id = d.payment_id join orders o on o.id = p.order_id
  where o.id = :order_id and p.applied_at is not null and d.funds = 'withdrawn' and o.organization_id = any (:scope_organizations)
    and (:scope_customer::uuid is null or o.customer_id = :scope_customer) and ${sharedByCheckouts}`

/** Whether the bank of the buyer took the money of an order back: it is not paid then, whatever its status. */
export async function isMoneyWithdrawn({ id }: { id: string }, { sql }: Pick<Transaction, 'sql'>): Promise<boolean> {
  return (await sql('order.withdrawn-payment', withdrawn, { order_id: id })).length > 0
}
