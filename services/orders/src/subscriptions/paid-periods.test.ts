import { expect, test } from 'vitest'
import { newSubscription } from '../../test/simulation/new-rows.ts'
import { defaultDunning } from '../organizations/dunning.ts'
import { isDiscountInEffect } from '../pricing/billing-period.ts'
import { applyPaymentResult, applyVoidedOrder } from './apply-payment-result.ts'
import type { OwedOrder } from './owed-orders.ts'
import type { Subscription } from './subscription.ts'

const date = (day: string) => new Date(`${day}T00:00:00Z`)
const start = date('2026-05-01')
const nextAttempt = date('2026-09-01')

/** A monthly subscription in its period of May. */
function create(status: Subscription['status'], values: Partial<Subscription> = {}): Subscription {
  const created = newSubscription({ id: 's', now: start.getTime(), priceAmount: 1000n, interval: 'month' })
  return Object.assign(created, { status, failedCharges: 2, dueAt: status === 'past_due' ? nextAttempt : null }, values)
}

interface Paid {
  on: string
  /** Null: prorations only. */
  periodStart?: Date | null
  owed?: OwedOrder[]
}

/** Applies that the buyer paid an order, and returns whether that is published. */
function pay(subscription: Subscription, { on, periodStart = start, owed = [] }: Paid): boolean {
  const clock = { now: date(on), toReal: (at: Date) => at }
  const result = { isPaid: true, initiator: 'buyer_again', order: { id: 'paid', periodStart }, notBefore: null } as const
  return applyPaymentResult(subscription, result, { clock, dunning: defaultDunning, now: clock.now, owed })
}

const isOnceInEffect = ({ currentPeriodStart, discountFrom }: Subscription) =>
  isDiscountInEffect(currentPeriodStart, { duration: 'once', from: discountFrom as Date })

test('the first period begins with the first payment, however early in the period it arrives', () => {
  const subscription = create('incomplete', { discountFrom: start })
  expect(pay(subscription, { on: '2026-05-06' })).toBe(true)
  const period = { currentPeriodStart: date('2026-05-06'), currentPeriodEnd: date('2026-06-06'), anchorDay: 6 }
  expect(subscription).toMatchObject({ status: 'active', ...period, startedAt: date('2026-05-06'), dueAt: date('2026-06-06') })
  expect(isOnceInEffect(subscription)).toBe(true)
})

test('a period that begins late keeps the price and the discount by which its order billed it', () => {
  const terms = { periodPriceId: 'price-before', periodDiscountId: 'removed-discount' }
  const subscription = create('past_due', terms)
  pay(subscription, { on: '2026-06-10' })
  expect(subscription).toMatchObject({ currentPeriodStart: date('2026-06-10'), ...terms })
})

test('a discount that was added before the first payment lowers the second period', () => {
  const subscription = create('incomplete', { discountFrom: date('2026-06-01') })
  pay(subscription, { on: '2026-05-06' })
  expect(subscription.discountFrom).toEqual(date('2026-06-06'))
})

test('the period of an unpaid subscription begins with the payment of any order that bills a period', () => {
  const subscription = create('unpaid')
  expect(pay(subscription, { on: '2026-08-20' })).toBe(true)
  expect(subscription).toMatchObject({ status: 'active', currentPeriodStart: date('2026-08-20'), dueAt: date('2026-09-20') })
})

test.each(['past_due', 'unpaid'] as const)('one that is %s begins its paid period with a payment after the end of the period', (status) => {
  const subscription = create(status, { discountFrom: start })
  expect(pay(subscription, { on: '2026-06-10' })).toBe(true)
  const period = { currentPeriodStart: date('2026-06-10'), currentPeriodEnd: date('2026-07-10'), dueAt: date('2026-07-10') }
  expect(subscription).toMatchObject({ status: 'active', failedCharges: 0, ...period })
  // A change of product in the period that was billed with the discount has it too.
  expect(isOnceInEffect(subscription)).toBe(true)
})

test('the months of a discount do not pass without access', () => {
  for (const on of ['2026-07-31', '2026-08-20']) {
    const subscription = create('unpaid', { discountFrom: date('2026-04-01') })
    pay(subscription, { on })
    const term = { duration: 'repeating' as const, durationInMonths: 3, from: subscription.discountFrom as Date }
    const next = subscription.nextPeriod()
    // The periods of April and May, the latter now, and one more.
    expect(isDiscountInEffect(subscription.currentPeriodStart, term)).toBe(true)
    expect(isDiscountInEffect(next.start, term)).toBe(true)
    expect(isDiscountInEffect(next.end, term)).toBe(false)
  }
})

test('a past due subscription that pays within its period keeps the period', () => {
  const subscription = create('past_due')
  expect(pay(subscription, { on: '2026-05-31' })).toBe(true)
  expect(subscription).toMatchObject({ status: 'active', currentPeriodStart: start, dueAt: date('2026-06-01') })
})

test('one that is past due with prorations after its period begins the next period with their payment', () => {
  const subscription = create('past_due', { discountFrom: date('2026-06-01') })
  expect(pay(subscription, { on: '2026-06-10', periodStart: null })).toBe(true)
  expect(subscription).toMatchObject({ status: 'active', currentPeriodEnd: date('2026-06-10'), dueAt: date('2026-06-10') })
  expect(subscription.discountFrom).toEqual(subscription.nextPeriod().start)
})

test.each([true, false])('two owed orders that are paid after the period pay for one period, the renewal first: %s', (isRenewalFirst) => {
  const subscription = create('past_due')
  const [first, second] = isRenewalFirst ? [start, null] : [null, start]
  const other = [{ id: 'other', isPaymentInProgress: false }]
  expect(pay(subscription, { on: '2026-06-10', periodStart: first, owed: other })).toBe(isRenewalFirst)
  expect(subscription).toMatchObject({ status: 'past_due', dueAt: nextAttempt })
  expect(pay(subscription, { on: '2026-06-11', periodStart: second })).toBe(true)
  const begun = date(isRenewalFirst ? '2026-06-10' : '2026-06-11')
  expect(subscription).toMatchObject({ status: 'active', currentPeriodStart: begun, dueAt: subscription.currentPeriodEnd })
  expect(subscription.currentPeriodEnd > date('2026-07-09')).toBe(true)
})

test('one that ends with a period that is over begins no other by a payment', () => {
  const subscription = create('past_due', { cancelAtPeriodEnd: true, endsAt: date('2026-06-01') })
  pay(subscription, { on: '2026-06-10' })
  expect(subscription).toMatchObject({ currentPeriodEnd: date('2026-06-01'), dueAt: date('2026-06-01'), endsAt: date('2026-06-01') })
})

test('one whose voided order was past due beyond its period is not billed for the time between', () => {
  const subscription = create('past_due')
  const clock = { now: date('2026-06-10'), toReal: (at: Date) => at }
  expect(applyVoidedOrder(subscription, { clock, dunning: defaultDunning, owed: [] })).toBe(true)
  expect(subscription).toMatchObject({ status: 'active', currentPeriodEnd: clock.now, dueAt: clock.now })
})
