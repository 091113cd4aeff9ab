import { job, type Transaction } from '@quittance/runtime/handler'
import { lockOrder } from '../orders/lock-order.ts'
import { Order } from '../orders/order.ts'
import { runEach } from './run-each.ts'
import { Subscription } from './subscription.ts'
import { completeChange, undoVoidedChange } from './undo-product-change.ts'
import { UnpaidChange } from './unpaid-change.ts'

const batch = 20

interface SettledChange {
  /** Of the order. */
  id: string
  organization_id: string
}

const findSettled = `
  select u.order_id as id, u.organization_id from unpaid_changes u join orders o on o.id = u.order_id
  where o.status <> 'pending' or o.voided_at is not null
  order by u.order_id limit ${batch}`

/** Completes changes of product whose order a replica of the release before settled: it knows neither the stored terms nor the benefits that wait. */
export const completePaidChanges = job({
  name: 'complete-paid-changes',
  everyMs: 60_000,
  async run(context) {
    const rows = await context.systemSql<SettledChange>('unpaid-changes.find-settled', findSettled)
    const tasks = rows.map((row) => ({ row, run: (transaction: Transaction) => complete(row, transaction) }))
    await runEach(tasks, { context, failure: 'subscription.completion-failed', idField: 'order_id' })
    return rows.length === batch
  },
})

async function complete({ id: orderId }: SettledChange, context: Transaction): Promise<void> {
  const { em } = context
  const order = await lockOrder(await em.findOneOrFail(Order, { id: orderId }, { disableIdentityMap: true }), context)
  const change = await em.findOne(UnpaidChange, { orderId })
  if (!change) return
  const subscription = await em.findOneOrFail(Subscription, change.subscriptionId)
  if (order.voidedAt) await undoVoidedChange(subscription, { order, context })
  else await completeChange(subscription, { change, context })
}
