import { defaultDunning, type Dunning } from '../../src/organizations/dunning.ts'
import type { Order } from '../../src/orders/order.ts'
import type { Subscription } from '../../src/subscriptions/subscription.ts'
import type { Draws } from './draws.ts'
import { dayMs } from './simulated-objects.ts'
import { assertHolds, type SimulatedStore } from './simulated-store.ts'

/** Whether the trial of each product needs a payment method; null: it has none. */
const products = [null, null, true, false] as const

interface ChargedHistory {
  store: SimulatedStore
  subscriptions: ReadonlyMap<string | null | undefined, Subscription>
  now: number
}

/** What the seller of a customer sells, and how they have declined payments tried again. */
export class SellerSettings {
  dunning: Dunning = defaultDunning
  readonly #draws: Draws
  /** Of all settings so far. */
  #maxRetries = 0
  #minWaitMs = Number.POSITIVE_INFINITY

  constructor(draws: Draws) {
    this.#draws = draws
    this.chooseDunning()
  }

  chooseDunning(): void {
    const draws = this.#draws
    const afterLastTry = draws.chance(0.5) ? 'unpaid' : 'canceled'
    const count = draws.between(1, 8)
    const retryAfterDays = draws.chance(0.4) ? defaultDunning.retryAfterDays : Array.from({ length: count }, () => draws.between(1, 14))
    this.dunning = { retryAfterDays, afterLastTry }
    this.#maxRetries = Math.max(this.#maxRetries, retryAfterDays.length)
    this.#minWaitMs = Math.min(this.#minWaitMs, Math.min(...retryAfterDays) * dayMs)
  }

  chooseProduct(): { product: number; needsMethod: boolean | null } {
    const product = this.#draws.between(0, products.length - 1)
    return { product, needsMethod: products[product] ?? null }
  }

  drawTrial() {
    const interval = (['day', 'week', 'month'] as const)[this.#draws.between(0, 2)] ?? 'month'
    return { interval, count: this.#draws.between(1, 3) }
  }

  /** Without the buyer, only a method is charged that they gave for it, and not more often than the seller chose. */
  assertMayCharge(order: Order, { store, subscriptions, now }: ChargedHistory): void {
    const isGiven = Boolean(subscriptions.get(order.subscriptionId)?.paymentMethodId)
    assertHolds(isGiven, 'a subscription is charged without a payment method')
    const earlier = store.payments.filter((row) => row.order === order && row.progress.initiator === 'schedule')
    assertHolds(earlier.length <= this.#maxRetries, 'an order is tried more often than the seller chose')
    const last = earlier.at(-1)?.progress.createdAt.getTime() ?? 0
    assertHolds(now - last >= this.#minWaitMs, 'an order is tried earlier than the seller chose')
  }

  /** Asserts how the last try of a subscription ended. */
  assertLastTry(status: string, { endsWithPeriod }: { endsWithPeriod: boolean }): void {
    const expected = endsWithPeriod ? 'canceled' : this.dunning.afterLastTry
    assertHolds(status === expected, 'the last try ends otherwise than the seller chose')
  }
}
