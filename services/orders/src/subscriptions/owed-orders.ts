import { sharedByCheckouts } from '@quittance/sql/sql-runner'
import type { Transaction } from '@quittance/runtime/handler'
import { loadDunning, retryDelayMs } from '../organizations/dunning.ts'
import type { OrganizationClock } from '../organizations/organization.ts'
import type { Subscription } from './subscription.ts'

/** An order of a subscription that is neither paid nor voided. */
export interface OwedOrder {
  id: string
  /** Its payment is not settled yet, or can still be paid at the provider. */
  isPaymentInProgress: boolean
}

/** Condition of an order `o` of a subscription that is owed. Those of upgrades by a checkout are not, which only the buyer pays. */
export const isOwed = `o.status = 'pending' and o.voided_at is null and (o.checkout_id is null or o.billing_reason <> 'subscription_update')`

const owed = `
  select o.id, exists (select from payments p where p.order_id = o.id and p.is_open) as "isPaymentInProgress"
  from orders o
  where o.subscription_id = :subscription_id and ${isOwed}
    and o.organization_id = any (:scope_organizations) and (:scope_customer::uuid is null or o.customer_id = :scope_customer)
    and ${sharedByCheckouts}
  order by o.created_at, o.id`

/**
 * Loads the unpaid orders of a subscription that are not voided, oldest first, without those of upgrades by a checkout, which only the buyer
 * pays. The caller has locked the subscription.
 */
export function findOwedOrders({ id }: Pick<Subscription, 'id'>, { sql }: Pick<Transaction, 'sql'>): Promise<OwedOrder[]> {
  return sql<OwedOrder>('subscription.owed-orders', owed, { subscription_id: id })
}

const awaited = `
  select 1 from orders o
  where o.subscription_id = :subscription_id and o.status = 'pending' and o.voided_at is null
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

const lastAttempt = `
  select extract(epoch from max(p.settled_at + p.clock_offset_ms * interval '1 millisecond'))::float8 * 1000 as "settledMs",
    extract(epoch from max(p.retry_not_before))::float8 * 1000 as "notBeforeMs"
  from payments p join orders o on o.id = p.order_id
  where o.subscription_id = :subscription_id and o.status = 'pending' and o.voided_at is null and p.initiator = 'schedule' and p.state = 'failed'
    and o.organization_id = any (:scope_organizations) and (:scope_customer::uuid is null or o.customer_id = :scope_customer)
    and ${sharedByCheckouts}`

/** Withdraws a cancellation. The next attempt, which its end had brought forward, is again that of the schedule. */
export async function withdrawCancellation(
  subscription: Subscription,
  { context: { sql }, clock }: { context: Pick<Transaction, 'sql'>; clock: OrganizationClock },
): Promise<void> {
  subscription.uncancel()
  const { id, status, dueAt, failedCharges, organizationId } = subscription
  if (status !== 'past_due' || !dueAt) return
  const waitMs = retryDelayMs(await loadDunning(sql, organizationId), failedCharges - 1)
  if (waitMs === null) return
  const [last] = await sql<{ settledMs: number | null; notBeforeMs: number | null }>('subscription.last-attempt', lastAttempt, {
    subscription_id: id,
  })
  if (!last?.settledMs) return
  const scheduled = clock.toReal(new Date(last.settledMs + waitMs))
  subscription.dueAt = new Date(Math.max(dueAt.getTime(), scheduled.getTime(), last.notBeforeMs ?? 0))
}
