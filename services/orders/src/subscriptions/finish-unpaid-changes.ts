import { job, type Transaction } from '@quittance/runtime/handler'
import { lockOrder } from '../orders/lock-order.ts'
import { Order } from '../orders/order.ts'
import { giveUpOrder } from '../payments/void-order.ts'
import { runEach } from './run-each.ts'
import { Subscription } from './subscription.ts'
import { syncBenefits } from './sync-benefits.ts'
import { completeChange, undoProductChange } from './undo-product-change.ts'
import { UnpaidChange } from './unpaid-change.ts'

const batch = 20

interface FoundChange {
  /** Of the order. */
  id: string
  organization_id: string
}

/** A payment that was submitted, or is about to be, has a result later, and a transfer is closed after its due date. */
const isOverdue = `(o.status <> 'pending' or o.voided_at is not null
    or (u.created_at < now() - interval '23 hours' and not exists (
      select from payments p where p.order_id = o.id and p.is_open
        and (p.state not in ('created', 'prepared') or p.created_at > now() - interval '1 hour'))))`

/** Those of all organizations in turn, and in any order: changes that cannot be finished delay neither other organizations nor the rest of theirs. */
const findOverdue = `
  select id, organization_id from (
    select u.order_id as id, u.organization_id, row_number() over (partition by u.organization_id order by random()) as place
    from unpaid_changes u join orders o on o.id = u.order_id where ${isOverdue}) overdue
  order by place, random() limit ${batch}`

const checkOverdue = `
  select 1 from unpaid_changes u join orders o on o.id = u.order_id
  where u.order_id = :order_id and o.organization_id = any (:scope_organizations) and ${isOverdue}`

/**
 * Undoes changes of product that only the buyer could pay, or whose payment could not be submitted, after 23 hours. Also finishes those that a
 * replica of the release before settled: it knows neither the stored terms nor the benefits that wait for the payment.
 */
export const finishUnpaidChanges = job({
  name: 'finish-unpaid-changes',
  everyMs: 60_000,
  async run(context) {
    const rows = await context.systemSql<FoundChange>('unpaid-changes.find-overdue', findOverdue)
    const tasks = rows.map((row) => ({ row, run: (transaction: Transaction) => finish(row, transaction) }))
    await runEach(tasks, { context, failure: 'subscription.change-not-finished', idField: 'order_id' })
    return rows.length === batch
  },
})

async function finish({ id: orderId }: FoundChange, context: Transaction): Promise<void> {
  const { em, sql } = context
  const order = await lockOrder(await em.findOneOrFail(Order, { id: orderId }, { disableIdentityMap: true }), context)
  // The buyer may have begun to pay since it was found.
  if ((await sql('unpaid-change.is-overdue', checkOverdue, { order_id: orderId })).length === 0) return
  const change = await em.findOneOrFail(UnpaidChange, { orderId })
  const subscription = await em.findOneOrFail(Subscription, change.subscriptionId)
  if (order.status !== 'pending') return completeChange(subscription, { order, change, context })
  if (await undoProductChange(subscription, { order, change, context })) {
    if (!order.voidedAt) await giveUpOrder(order, context)
    return
  }
  // The release before has billed a period of the new product since, or retries the payment: the order is owed like another one.
  em.remove(change)
  if (subscription.status === 'active') await syncBenefits(subscription, context)
}
