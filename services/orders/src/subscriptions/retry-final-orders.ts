import { LockMode } from '@mikro-orm/core'
import { job, type Transaction } from '@quittance/runtime/handler'
import { finalOrdersJobName } from '../job-names.ts'
import { Order } from '../orders/order.ts'
import { loadDunning, retryDelayMs } from '../organizations/dunning.ts'
import { selectInTurn } from '../organizations/select-in-turn.ts'
import type { OrganizationClock } from '../organizations/organization.ts'
import { hasPaymentInProgress, Payment } from '../payments/payment.ts'
import { chargeOrder } from './charge-order.ts'
import { runEach } from './run-each.ts'
import { Subscription } from './subscription.ts'

const batch = 20

const due = `
  select id, organization_id from orders
  where id = any (array(${selectInTurn({
    table: 'orders',
    dueColumn: 'next_payment_attempt_at',
    isWaiting: 'next_payment_attempt_at is not null',
    isFree: 'not exists (select from payments p where p.order_id = orders.id and p.settled_at is null)',
    limit: `${batch}`,
  })}))`

/**
 * Charges the final orders of ended subscriptions again. The locks of the selection end with it: a replica that selects the same order waits
 * for its row and finds it handled.
 */
export const retryFinalOrders = job({
  name: finalOrdersJobName,
  everyMs: 10_000,
  async run(context) {
    const orders = await context.systemSql<{ id: string; organization_id: string }>('orders.payment-due', due)
    const tasks = orders.map((row) => ({ row, run: (transaction: Transaction) => chargeAgain(row.id, transaction) }))
    await runEach(tasks, { context, failure: 'final-order.charge-failed', idField: 'order_id' })
    return orders.length === batch
  },
})

async function chargeAgain(id: string, context: Transaction): Promise<void> {
  const { em, now } = context
  const order = await em.findOneOrFail(Order, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (!order.isPaymentDue(now)) return
  // The buyer pays it: the attempt waits for the result.
  if (await hasPaymentInProgress(id, em)) return
  order.retryPaymentAt(null)
  const subscription = await em.findOneOrFail(Subscription, order.subscriptionId as string)
  await chargeOrder(context, { order, subscription })
}

/** Schedules the next payment of a declined order of an ended subscription, like that of a running one; after the last it stays owed. */
export async function scheduleFinalPayment(
  order: Order,
  { context, clock }: { context: Transaction; clock: OrganizationClock },
): Promise<void> {
  const failures = await context.em.count(Payment, { orderId: order.id, status: 'failed', initiator: 'schedule' })
  const waitMs = retryDelayMs(await loadDunning(context.sql, order.organizationId), failures - 1)
  order.retryPaymentAt(waitMs === null ? null : clock.toReal(new Date(clock.now.getTime() + waitMs)))
}
