import { LockMode } from '@mikro-orm/core'
import type { Transaction } from '@quittance/runtime/handler'
import { renewalJobName } from '../job-names.ts'
import type { Order } from '../orders/order.ts'
import { loadDunning } from '../organizations/dunning.ts'
import { loadClock } from '../organizations/organization.ts'
import { applyVoidedOrder } from './apply-payment-result.ts'
import { findOwedOrders } from './owed-orders.ts'
import { publishSubscriptionChange } from './publish-subscription-change.ts'
import { undoVoidedChange } from './undo-product-change.ts'
import { Subscription } from './subscription.ts'

/**
 * Undoes the change of product that a voided order bills, and otherwise continues its subscription if that owes nothing else. Ignores the order of an upgrade, for which nothing was given, and the
 * first one: its subscription expires when the payment is closed.
 */
export async function releaseVoidedOrder(context: Transaction, { order }: { order: Order }): Promise<void> {
  const { em, sql, wake } = context
  if (!order.subscriptionId || order.isUpgrade()) return
  const subscription = await em.findOneOrFail(Subscription, { id: order.subscriptionId }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (await undoVoidedChange(subscription, { order, context })) return
  const before = subscription.snapshot()
  const clock = await loadClock(context, order.organizationId)
  const dunning = await loadDunning(sql, order.organizationId)
  const owed = await findOwedOrders(subscription, context)
  if (applyVoidedOrder(subscription, { clock, dunning, owed })) await publishSubscriptionChange(context, subscription, before)
  wake(renewalJobName)
}
