import { isWholeCustomer } from '@quittance/contracts/caller'
import type { RequestOf } from '@quittance/contracts/operation'
import type { SubscriptionSettings } from '@quittance/contracts/organizations'
import type { PreviewedOrder, ProrationBehavior, SubscriptionChangePreview } from '@quittance/contracts/subscription-changes'
import { previewSubscriptionChange as contract } from '@quittance/contracts/subscriptions'
import { staged, type CommandContext, type FinishContext, type Transaction } from '@quittance/runtime/handler'
import type { Order } from '../orders/order.ts'
import { OrderItem } from '../orders/order-item.ts'
import { loadSubscriptionSettings, type OrganizationClock } from '../organizations/organization.ts'
import { changeSubscriptionProduct } from './change-subscription-product.ts'
import { computeAndRollBack } from './compute-and-roll-back.ts'
import { setClockTo } from './previewed-change.ts'
import { placeNextOrder } from './renew-subscription.ts'
import { Subscription } from './subscription.ts'

/** A change of product to preview, after its subscription was found in the scope of the caller. */
export interface AskedChange {
  id: string
  organizationId: string
  productId: string
  behavior: ProrationBehavior
  /** Time for which it is computed. */
  at: string
  isChosenByCustomer: boolean
}

export const previewSubscriptionChange = staged(contract, {
  commit: (request, context) => askForChange(request, context),
  finish: previewChange,
})

/** Finds the subscription in the scope of the caller. `assertAllowed` throws if the seller does not allow the change. */
export async function askForChange(
  { id, product_id: productId, proration_behavior }: RequestOf<typeof contract>,
  { em, sql, now, caller }: CommandContext,
  assertAllowed: (settings: SubscriptionSettings) => void = () => {},
): Promise<AskedChange> {
  const { organizationId } = await em.findOneOrFail(Subscription, { id })
  const settings = await loadSubscriptionSettings(sql, organizationId)
  assertAllowed(settings)
  const behavior = proration_behavior ?? settings.proration_behavior
  return { id, organizationId, productId, behavior, at: now.toISOString(), isChosenByCustomer: isWholeCustomer(caller) }
}

/** Makes the change and the next renewal by the functions that make them, in a transaction that is rolled back: nothing is stored, published or called. */
export function previewChange({ id, ...asked }: AskedChange, context: FinishContext): Promise<SubscriptionChangePreview> {
  return computeAndRollBack(context, { organizationId: asked.organizationId, id }, (subscription, { transaction, clock: current }) => {
    const clock = setClockTo(current, { at: new Date(asked.at), now: transaction.now })
    return change(subscription, { ...asked, context: transaction, clock })
  })
}

interface Change extends Omit<AskedChange, 'id'> {
  context: Transaction
  clock: OrganizationClock
}

async function change(
  subscription: Subscription,
  { productId, behavior, at, isChosenByCustomer, context, clock }: Change,
): Promise<SubscriptionChangePreview> {
  const { em } = context
  const order = await changeSubscriptionProduct(subscription, { productId, behavior, isChosenByCustomer, context, clock })
  await em.flush()
  const next = subscription.currentPeriodEnd
  // In a trial every change is.
  const isPlanned = Boolean(subscription.pendingProductId)
  return {
    product_id: productId,
    proration_behavior: isPlanned ? 'next_period' : behavior,
    previewed_at: at,
    applies_at: (isPlanned ? next : clock.now).toISOString(),
    due_now: order && (await show(order, { em, at: clock.now })),
    next_order: await show(await placeNextOrder(subscription, context), { em, at: next }),
  }
}

async function show(order: Order, { em, at }: { em: Transaction['em']; at: Date }): Promise<PreviewedOrder> {
  await em.flush()
  const items = await em.find(OrderItem, { orderId: order.id }, { orderBy: { position: 'asc' } })
  return {
    at: at.toISOString(),
    currency: order.currency,
    subtotal_amount: Number(order.subtotalAmount),
    discount_amount: Number(order.discountAmount),
    net_amount: Number(order.netAmount),
    tax_amount: Number(order.taxAmount),
    total_amount: Number(order.totalAmount),
    items: items.map(({ label, amount, discountAmount, taxAmount, proration }) => ({
      label,
      proration,
      amount: Number(amount),
      discount_amount: Number(discountAmount),
      tax_amount: Number(taxAmount),
    })),
  }
}
