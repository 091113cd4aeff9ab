import assert from 'node:assert/strict'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Order } from '../orders/order.ts'
import { isDiscountInEffect, periodEnd, prorate, type BillingCadence } from '../pricing/billing-period.ts'
import { discountOn, orderAmounts, type DiscountRule, type PricedLine } from '../pricing/order-amounts.ts'
import { buildPeriodLines } from '../pricing/period-lines.ts'
import {
  computeCreditUsed,
  computeUnusedCredit,
  isChargePending,
  settleFinally,
  undoCredit,
  type PendingProration,
} from '../pricing/product-change.ts'
import { computeCreditRoom, releaseCredit, takeBackCredit } from '../pricing/returnable.ts'
import type { TaxBehavior, TaxRate } from '../pricing/tax-amounts.ts'

const cadence: BillingCadence = { interval: 'month', anchorDay: 1 }
const rate: TaxRate = { name: 'VAT', country: 'DE', state: null, partsPerMillion: 190_000n, isReverseCharge: false }

type Step =
  | { kind: 'change'; price: bigint; behavior: 'invoice' | 'prorate' | 'none'; at: number }
  /** A change whose charge is declined, after a refund of an order. */
  | { kind: 'declined'; price: bigint; at: number; order: number; percent: number }
  | { kind: 'refund'; order: number; percent: number; bounces: boolean }
  | { kind: 'bounce'; refund: number }
  | { kind: 'discount'; rule: DiscountRule | null }
  | { kind: 'renew' }

interface History {
  price: bigint
  taxBehavior: TaxBehavior
  isTaxed: boolean
  steps: Step[]
}

const price = fc.oneof(fc.constantFrom(0n, 1n, 1000n, 10_000n, 1_000_000n), fc.bigInt({ min: 0n, max: 100_000n }))
const rule = fc.oneof(
  fc.bigInt({ min: 0n, max: 20_000n }).map((amount): DiscountRule => ({ type: 'fixed', amount })),
  fc.bigInt({ min: 1n, max: 10_000n }).map((basisPoints): DiscountRule => ({ type: 'percentage', basisPoints })),
)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('change' as const),
      price,
      behavior: fc.constantFrom('invoice' as const, 'prorate' as const, 'none' as const),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('refund' as const),
      order: fc.nat(9),
      percent: fc.integer({ min: 1, max: 120 }),
      bounces: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('declined' as const),
      price,
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      order: fc.nat(9),
      percent: fc.integer({ min: 0, max: 120 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('bounce' as const), refund: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('discount' as const), rule: fc.option(rule) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('renew' as const) }) },
)
const history: fc.Arbitrary<History> = fc.record({
  price,
  taxBehavior: fc.constantFrom('inclusive' as const, 'exclusive' as const),
  isTaxed: fc.boolean(),
  steps: fc.array(step, { maxLength: 14 }),
})

interface MadeRefund {
  order: Order
  amount: bigint
  taxAmount: bigint
  isReversed: boolean
}

/** A subscription in memory. Every amount is computed by the functions that the service uses; its orders are those of the service. */
class SubscriptionHistory {
  readonly #orders: Order[] = []
  readonly #refunds: MadeRefund[] = []
  #pending: PendingProration[] = []
  readonly #taxBehavior: TaxBehavior
  readonly #rate: TaxRate | null
  #price: bigint
  #product = 0
  /** Product by which the current period was charged. */
  #periodProduct = 0
  #discount: { rule: DiscountRule; from: Date } | null = null
  /** Removed or replaced from the next period on. */
  #periodDiscount: DiscountRule | null = null
  #start = new Date('2026-01-01T00:00:00Z')
  #now = this.#start
  #periodAmount = 0n
  /** What was charged for time, less credits for unused time: independent of how orders bill it. */
  #charged = 0n
  #released = 0n
  #undone = 0
  /** Credits turned into refunds. */
  #takenBack = 0n

  constructor({ price: initial, taxBehavior, isTaxed }: History) {
    this.#price = initial
    this.#taxBehavior = taxBehavior
    this.#rate = isTaxed ? rate : null
    this.#billPeriod()
  }

  apply(each: Step): void {
    if (each.kind === 'change') this.#change(each)
    else if (each.kind === 'refund') this.#refund(each)
    else if (each.kind === 'bounce') this.#reverse(this.#refunds[each.refund])
    else if (each.kind === 'discount') this.#changeDiscount(each.rule)
    else if (each.kind === 'declined') this.#decline(each)
    else this.renew()
    this.check()
  }

  renew(): void {
    this.#start = this.#end()
    this.#now = this.#start
    this.#periodProduct = this.#product
    this.#periodDiscount = null
    this.#billPeriod()
  }

  /** Ends the subscription. Nothing is pending then: what is owed is billed, and other credit can be refunded. */
  end(): void {
    const settlement = settleFinally(this.#pending)
    if (settlement.kind === 'bill') {
      this.#place(this.#pending.map(toLine), { discount: 0n, creditUsed: computeCreditUsed(this.#pending), creditable: 0n })
    } else {
      const newestFirst = this.#orders.toReversed()
      const released = releaseCredit(newestFirst, settlement.credit)
      for (const [index, amount] of released.entries()) (newestFirst[index] as Order).creditedAmount -= amount
      assert.equal(sum(released), settlement.credit, 'unused credit can be refunded')
      this.#released = settlement.credit
    }
    this.#pending = []
    this.check()
  }

  hasCredits(): boolean {
    return this.#orders.some(({ creditUsedAmount, creditedAmount }) => creditUsedAmount > 0n || creditedAmount > 0n)
  }

  hasUndone(): boolean {
    return this.#undone > 0
  }

  hasRefunds(): boolean {
    return this.#refunds.length > 0
  }

  /** What holds after every step. */
  check(): void {
    for (const order of this.#orders) {
      const paid = advertised(order)
      const refunded = this.#computeRefunded(order)
      assert(order.refundedAmount >= 0n && order.refundedAmount <= order.netAmount, 'refunds are at most the net amount')
      assert(order.refundedTaxAmount >= 0n && order.refundedTaxAmount <= order.taxAmount, 'refunded tax is at most the tax')
      assert(order.creditedAmount >= 0n && order.creditUsedAmount >= 0n, 'credits are not negative')
      assert(refunded + order.creditedAmount <= paid + order.creditUsedAmount, 'an order returns at most what was paid')
    }
    const paid = sum(this.#orders.map(advertised))
    const refunded = sum(this.#orders.map((order) => this.#computeRefunded(order)))
    const pending = sum(this.#pending.map(({ amount }) => amount))
    assert(paid - refunded >= 0n, 'refunds are at most what was paid')
    // Outstanding credit is money that the customer has paid and not got back.
    if (pending < 0n) assert(-pending <= paid - refunded, 'credit is at most what was paid and not refunded')
    // Nothing that was charged is forgotten, and nothing is charged twice.
    assert.equal(paid + pending, this.#charged + this.#released + this.#takenBack, 'every charge is billed once')
  }

  /** Returns the order that bills it, if one does. */
  #change({ price: next, behavior, at }: Omit<Extract<Step, { kind: 'change' }>, 'kind'>): Order | null {
    const end = this.#end()
    this.#now = new Date(this.#now.getTime() + Math.floor((end.getTime() - this.#now.getTime()) * at))
    const period = { start: this.#start, end, at: this.#now }
    if (behavior !== 'none' && this.#periodAmount > 0n) this.#creditUnusedTime(period)
    this.#price = next
    this.#product += 1
    if (behavior === 'none') return null
    this.#periodProduct = this.#product
    this.#periodAmount = next - this.#discountNow()
    const charge = prorate(this.#periodAmount, period)
    this.#charged += charge
    if (charge > 0n) this.#pending.push({ amount: charge, productPriceId: String(this.#product), creditedOrderId: null })
    if (behavior === 'prorate' || settleFinally(this.#pending).kind !== 'bill') return null
    const order = this.#place(this.#pending.map(toLine), { discount: 0n, creditUsed: computeCreditUsed(this.#pending), creditable: charge })
    this.#pending = []
    return order
  }

  /** Undoes the change, with what a refund has taken of its credits. */
  #decline({ price: next, at, order: refunded, percent }: Extract<Step, { kind: 'declined' }>): void {
    const pending = [...this.#pending]
    const before = [this.#price, this.#product, this.#periodProduct, this.#periodAmount, this.#charged] as const
    const credited = this.#orders.at(-1) as Order
    const creditedBefore = credited.creditedAmount
    const order = this.#change({ price: next, behavior: 'invoice', at })
    // Without an order nothing is charged: the change stays.
    if (!order) return
    const own = credited.creditedAmount - creditedBefore
    this.#orders.pop()
    const earlierOrder = refunded % this.#orders.length
    this.#orders.push(order)
    this.#refund({ kind: 'refund', order: earlierOrder, percent, bounces: false })
    this.#orders.pop()
    const undone = undoCredit({ own, credited: credited.creditedAmount, earlier: computeCreditUsed(pending), used: order.creditUsedAmount })
    credited.creditedAmount -= undone.takenBack
    // What the refund took of credit that no order had used.
    pending.push(...this.#pending)
    if (undone.refunded !== 0n) pending.push({ amount: undone.refunded, productPriceId: null, creditedOrderId: credited.id })
    this.#takenBack += undone.refunded
    this.#pending = pending
    ;[this.#price, this.#product, this.#periodProduct, this.#periodAmount, this.#charged] = before
    this.#undone += 1
  }

  #changeDiscount(next: DiscountRule | null): void {
    if (this.#isDiscounted()) this.#periodDiscount = this.#discount?.rule ?? null
    this.#discount = next && { rule: next, from: this.#end() }
  }

  #creditUnusedTime(period: { start: Date; end: Date; at: Date }): void {
    const productPriceId = String(this.#periodProduct)
    const billedBy = isChargePending(this.#pending, productPriceId) ? null : (this.#orders.at(-1) as Order)
    const refundedBefore = billedBy && this.#computeRefunded(billedBy)
    const credit = computeUnusedCredit({ period, periodAmount: this.#periodAmount, billedBy })
    // At most what was paid for the time, in money or by earlier credits, less refunds.
    if (billedBy)
      assert(
        credit <= advertised(billedBy) + billedBy.creditUsedAmount - (refundedBefore ?? 0n),
        'credit is at most what was paid for the time',
      )
    const isRefunded = billedBy && refundedBefore === advertised(billedBy) && billedBy.creditUsedAmount === 0n
    if (isRefunded) assert.equal(credit, 0n, 'refunded time is not credited')
    if (billedBy) billedBy.creditedAmount += credit
    this.#charged -= credit
    if (credit > 0n) this.#pending.push({ amount: -credit, productPriceId, creditedOrderId: billedBy?.id ?? null })
  }

  #billPeriod(): void {
    const discount = this.#discountNow()
    this.#periodAmount = this.#price - discount
    this.#charged += this.#periodAmount
    const { lines, carried: credit } = buildPeriodLines({
      price: this.#price,
      discount,
      prorations: this.#pending.map(({ amount }) => amount),
    })
    this.#place(lines, { discount, creditUsed: computeCreditUsed(this.#pending, credit), creditable: this.#periodAmount })
    const source = this.#pending.find(({ creditedOrderId }) => creditedOrderId)
    this.#pending = credit < 0n ? [{ amount: credit, productPriceId: null, creditedOrderId: source?.creditedOrderId ?? null }] : []
  }

  #refund({ order: index, percent, bounces }: Extract<Step, { kind: 'refund' }>): void {
    const order = this.#orders[index % this.#orders.length] as Order
    const amount = (order.netAmount * BigInt(percent)) / 100n
    if (amount === 0n) return
    const before = { credited: order.creditedAmount, used: this.#orders.map(({ creditUsedAmount }) => creditUsedAmount) }
    const pending = sum(this.#pending.map((each) => each.amount))
    const later = this.#orders.slice(this.#orders.indexOf(order) + 1).toReversed()
    const taken = takeBackCredit(order, amount, { outstanding: pending < 0n ? -pending : 0n, later })
    order.creditedAmount -= taken.total
    for (const [position, each] of later.entries()) each.creditUsedAmount -= taken.fromLater[position] ?? 0n
    let taxAmount: bigint
    try {
      taxAmount = order.reserveRefund(amount)
    } catch {
      // Rejected: the transaction is rolled back.
      order.creditedAmount = before.credited
      for (const [position, each] of this.#orders.entries()) each.creditUsedAmount = before.used[position] as bigint
      return
    }
    if (taken.fromOutstanding > 0n) this.#pending.push({ amount: taken.fromOutstanding, productPriceId: null, creditedOrderId: order.id })
    this.#takenBack += taken.fromOutstanding
    assert(taxAmount >= 0n, 'a refund returns no negative tax')
    order.refund({ amount, taxAmount })
    const made = { order, amount, taxAmount, isReversed: false }
    this.#refunds.push(made)
    if (bounces) this.#reverse(made)
  }

  #reverse(refund: MadeRefund | undefined): void {
    if (!refund || refund.isReversed) return
    refund.isReversed = true
    refund.order.reverseRefund(refund)
  }

  #place(
    lines: readonly Omit<PricedLine, 'rate'>[],
    { discount, creditUsed, creditable }: { discount: bigint; creditUsed: bigint; creditable: bigint },
  ): Order {
    const priced = lines.map((line) => ({ ...line, rate: this.#rate }))
    const amounts = orderAmounts({ lines: priced, discount: { type: 'fixed', amount: discount }, taxBehavior: this.#taxBehavior })
    assert(amounts.net >= 0n && amounts.tax >= 0n, 'an order is not negative')
    const order: Order = Object.assign(
      Object.create(Order.prototype) as Order,
      {
        id: `order ${this.#orders.length}`,
        status: 'paid',
        taxBehavior: this.#taxBehavior,
        netAmount: amounts.net,
        taxAmount: amounts.tax,
        refundedAmount: 0n,
        refundedTaxAmount: 0n,
        refundingAmount: 0n,
        refundingTaxAmount: 0n,
        creditableAmount: creditable,
        creditUsedAmount: creditUsed,
        creditedAmount: 0n,
      } as const,
    )
    assert(computeCreditRoom(order) >= 0n, 'an order has room for credits')
    this.#orders.push(order)
    return order
  }

  #computeRefunded(order: Order): bigint {
    const live = this.#refunds.filter((refund) => refund.order === order && !refund.isReversed)
    return sum(live.map(({ amount, taxAmount }) => (this.#taxBehavior === 'inclusive' ? amount + taxAmount : amount)))
  }

  #discountNow(): bigint {
    const current = this.#periodDiscount ?? (this.#isDiscounted() ? this.#discount?.rule : null)
    return discountOn(this.#price, current ?? null)
  }

  #isDiscounted(): boolean {
    return this.#discount !== null && isDiscountInEffect(this.#start, { duration: 'forever', from: this.#discount.from })
  }

  #end(): Date {
    return periodEnd(this.#start, cadence)
  }
}

function toLine({ amount }: PendingProration): { amount: bigint; isDiscountable: boolean } {
  return { amount, isDiscountable: false }
}

function advertised({ netAmount, taxAmount, taxBehavior }: Order): bigint {
  return taxBehavior === 'inclusive' ? netAmount + taxAmount : netAmount
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n)
}

test('no history of changes, declined or not, refunds, returns, discounts and an end returns more than was paid or forgets what is owed', () => {
  let [credited, refunded, undone] = [0, 0, 0]
  fc.assert(
    fc.property(history, (drawn) => {
      const subscription = new SubscriptionHistory(drawn)
      for (const each of drawn.steps) subscription.apply(each)
      subscription.end()
      if (subscription.hasCredits()) credited += 1
      if (subscription.hasRefunds()) refunded += 1
      if (subscription.hasUndone()) undone += 1
    }),
    { numRuns: 10_000 },
  )
  // The histories are not mostly trivial.
  expect(Math.min(credited, refunded, undone)).toBeGreaterThan(2000)
})
