import { expect, test } from 'vitest'
import { newSubscription } from '../../test/simulation/new-rows.ts'
import { defaultDunning } from '../organizations/dunning.ts'
import { applyVoidedOrder } from './apply-payment-result.ts'
import type { OwedOrder } from './owed-orders.ts'
import type { Subscription } from './subscription.ts'

const start = Date.parse('2026-05-01T00:00:00Z')
const periodEnd = new Date('2026-06-01T00:00:00Z')

/** A monthly subscription of which nothing is scheduled, as while a payment is awaited, and the clock on a day of its period. */
function create(status: Subscription['status'], now: string) {
  const values = { id: 's', now: start, priceAmount: 1000n, interval: 'month' as const }
  const subscription = Object.assign(newSubscription(values), { status, failedCharges: 2, startedAt: new Date(start) })
  return { subscription, clock: { now: new Date(now), toReal: (at: Date) => at } }
}

function release({ subscription, clock }: ReturnType<typeof create>, owed: OwedOrder[] = []): boolean {
  return applyVoidedOrder(subscription, { clock, dunning: defaultDunning, owed })
}

test.each(['past_due', 'unpaid'] as const)('one that is %s and owes nothing else is active until the end of its period', (status) => {
  const created = create(status, '2026-05-20T00:00:00Z')
  expect(release(created)).toBe(true)
  expect(created.subscription).toMatchObject({ status: 'active', failedCharges: 0, currentPeriodEnd: periodEnd, dueAt: periodEnd })
})

test('one that is unpaid since a period that has passed is renewed at once', () => {
  const created = create('unpaid', '2026-08-20T00:00:00Z')
  expect(release(created)).toBe(true)
  expect(created.subscription).toMatchObject({ status: 'active', currentPeriodEnd: created.clock.now, dueAt: created.clock.now })
})

test('an active one that awaited the payment is renewed at the end of its period', () => {
  const created = create('active', '2026-05-20T00:00:00Z')
  expect(release(created)).toBe(false)
  expect(created.subscription).toMatchObject({ status: 'active', dueAt: periodEnd })
})

test('one that owes another order stays past due, and that order is charged', () => {
  const created = create('past_due', '2026-05-20T00:00:00Z')
  expect(release(created, [{ id: 'o', isPaymentInProgress: false }])).toBe(false)
  expect(created.subscription).toMatchObject({ status: 'past_due', dueAt: new Date('2026-05-23T00:00:00Z') })
})

test.each(['incomplete', 'trialing', 'canceled', 'incomplete_expired'] as const)('one that is %s does not change', (status) => {
  const created = create(status, '2026-05-20T00:00:00Z')
  expect(release(created)).toBe(false)
  expect(created.subscription).toMatchObject({ status, failedCharges: 2, dueAt: null })
})
