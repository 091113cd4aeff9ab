import { mostItems } from '@quittance/contracts/orders'
import type { Transaction } from '@quittance/runtime/handler'
import type { Line } from '../orders/place-order.ts'
import { Proration } from './proration.ts'
import type { Subscription } from './subscription.ts'

/** An order of a period has besides them its price, and a credit that is kept. */
const limit = mostItems - 2

/** What changes of product owe or are owed, and no order has billed; what is more than an order may have waits for the next. */
export function waitingProrations({ id }: Subscription, em: Transaction['em']): Promise<Proration[]> {
  return em.find(Proration, { subscriptionId: id, orderId: null }, { orderBy: { createdAt: 'asc', id: 'asc' }, limit })
}

export function asLines(prorations: readonly Proration[]): Line[] {
  return prorations.map(({ label, productPriceId }) => ({ label, productPriceId: productPriceId ?? null, proration: true }))
}

interface Settlement {
  em: Transaction['em']
  orderId: string
  /** What was more than the order could take; negative or zero. */
  credit: bigint
}

/** The order has billed them. Credit it could not take waits for the next one. */
export function settleProrations(prorations: readonly Proration[], { em, orderId, credit }: Settlement): void {
  for (const proration of prorations) proration.orderId = orderId
  const [first] = prorations
  if (!first || credit === 0n) return
  const { organizationId, subscriptionId } = first
  em.create(Proration, { organizationId, subscriptionId, label: 'Credit', amount: credit, productPriceId: null, orderId: null })
}
