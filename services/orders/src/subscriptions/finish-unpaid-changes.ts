import { job, type Transaction } from '@quittance/runtime/handler'
import { lockOrder } from '../orders/lock-order.ts'
import { Order } from '../orders/order.ts'
import { giveUpOrder } from '../payments/void-order.ts'
import { runEach } from './run-each.ts'
import { Subscription } from './subscription.ts'
import { completeChange, undoProductChange } from './undo-product-change.ts'
import { UnpaidChange } from './unpaid-change.ts'

const batch = 20

interface FoundChange {
  /** Of the order. */
  id: string
  organization_id: string
}

/** A payment that was submitted has a result later, and a transfer is closed after its due date. */
const findOverdue = `
  select u.order_id as id, u.organization_id from unpaid_changes u join orders o on o.id = u.order_id
  where o.status <> 'pending' or o.voided_at is not null
    or (u.created_at < now() - interval '23 hours' and not exists (
      select from payments p where p.order_id = o.id and p.is_open and p.state not in ('created', 'prepared')))
  order by u.order_id limit ${batch}`

/**
 * Undoes changes of product that only the buyer could pay, or whose payment could not be submitted, after a day. Also finishes those that a
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
  const { em } = context
  const order = await lockOrder(await em.findOneOrFail(Order, { id: orderId }, { disableIdentityMap: true }), context)
  const change = await em.findOne(UnpaidChange, { orderId })
  if (!change) return
  const subscription = await em.findOneOrFail(Subscription, change.subscriptionId)
  if (order.status !== 'pending') return completeChange(subscription, { order, change, context })
  // The release before has billed a period since, or retries the payment: the order is owed like another one.
  if (!(await undoProductChange(subscription, { order, change, context }))) em.remove(change)
  else if (!order.voidedAt) await giveUpOrder(order, context)
}
