import { maxOrderItems } from '@quittance/contracts/invoice-source'
import { formatAdjustmentLabel } from '@quittance/contracts/proration-label'
import type { Transaction } from '@quittance/runtime/handler'
import type { OrderDraftLine } from '../orders/place-order.ts'
import type { Subscription } from './subscription.ts'
import { defineEntity, p } from '@mikro-orm/core'
import { organizationFilter } from '@quittance/runtime/database'
import { aggregateProperties } from '@quittance/runtime/schema'

/** An order of a period also has a line for its price, and one for a carried-over credit. */
const limit = maxOrderItems - 2

/** Selects the prorations of a subscription that no order has billed. */
export const pendingProrations = (subscriptionId: string) => ({ subscriptionId, orderId: null, releasedAt: null })

/** A change creates its credit and its charge in one millisecond: the credit is listed first. */
const asListed = { createdAt: 'asc', amount: 'asc', id: 'asc' } as const

/** Loads the pending prorations; those beyond the maximum of an order wait for the next. */
export function findPendingProrations({ id }: Subscription, em: Transaction['em']): Promise<Proration[]> {
  return em.find(Proration, pendingProrations(id), { orderBy: asListed, limit })
}

/** Loads all pending prorations, for the last order of a subscription. */
export function findAllPendingProrations({ id }: Subscription, em: Transaction['em']): Promise<Proration[]> {
  return em.find(Proration, pendingProrations(id), { orderBy: asListed })
}

/** A proration as billed: one, or the sum of those beyond the maximum of an order. */
type BilledLine = Pick<Proration, 'label' | 'amount' | 'productPriceId'>

/** Returns one line per proration; the last line sums up what one order cannot list. */
export function toBilledLines(prorations: readonly Proration[]): BilledLine[] {
  if (prorations.length <= limit) return [...prorations]
  const amount = prorations.slice(limit - 1).reduce((sum, each) => sum + each.amount, 0n)
  return [...prorations.slice(0, limit - 1), { label: formatAdjustmentLabel('earlierChanges'), amount, productPriceId: null }]
}

export function toOrderLines(prorations: readonly BilledLine[]): OrderDraftLine[] {
  return prorations.map(({ label, productPriceId }) => ({ label, productPriceId: productPriceId ?? null, proration: true }))
}

interface Settlement {
  em: Transaction['em']
  orderId: string
  /** Credit that exceeded the order; negative or zero. */
  credit: bigint
}

/** Fields of a proration that no order has billed. */
export const unbilled = { orderId: null, releasedAt: null } as const

/** Marks the prorations as billed by the order. Credit that exceeded it waits for the next one. */
export function settleProrations(prorations: readonly Proration[], { em, orderId, credit }: Settlement): void {
  for (const proration of prorations) proration.orderId = orderId
  const credited = prorations.find(({ creditedOrderId }) => creditedOrderId) ?? prorations[0]
  if (!credited || credit === 0n) return
  const { organizationId, subscriptionId, productPriceId = null, creditedOrderId = null } = credited
  const label = formatAdjustmentLabel('credit')
  em.create(Proration, { organizationId, subscriptionId, label, amount: credit, productPriceId, creditedOrderId, ...unbilled })
}

/** Adds the charge of a period that its order does not bill: the next one does. */
export function carryCharge(
  { organizationId, id: subscriptionId, productPriceId }: Subscription,
  { em, label, amount }: { em: Transaction['em']; label: string; amount: bigint },
): void {
  em.create(Proration, { organizationId, subscriptionId, label, amount, productPriceId, creditedOrderId: null, ...unbilled })
}

/** Charge or credit of a product change, after discount. Pending until an order bills it. */
export const ProrationSchema = defineEntity({
  name: 'Proration',
  tableName: 'prorations',
  properties: {
    ...aggregateProperties,
    organizationId: p.uuid(),
    subscriptionId: p.uuid(),
    label: p.text(),
    amount: p.bigint('bigint'),
    productPriceId: p.uuid().nullable(),
    orderId: p.uuid().nullable(),
    /** Order that paid for the credited time; null for a charge, and for the reversal of a charge that was still pending. */
    creditedOrderId: p.uuid().nullable(),
    /** When its credit was released because the subscription ended; no order bills it. */
    releasedAt: p.datetime().nullable(),
  },
  filters: organizationFilter,
})
export class Proration extends ProrationSchema.class {}
ProrationSchema.setClass(Proration)
