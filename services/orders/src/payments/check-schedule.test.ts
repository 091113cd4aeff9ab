import { expect, test } from 'vitest'
import { samplePayment } from '../../test/sample-payment.ts'
import { scheduleCheck } from './check-schedule.ts'
import type { PaymentProgress } from './payment-progress.ts'

const now = new Date('2026-11-23T12:00:00Z')

/** Returns the seconds until the next check. */
function computeWait(values: Partial<PaymentProgress>, random = 0.5): number | null {
  const next = scheduleCheck(samplePayment({ createdAt: now, ...values }), { now, random, settlesWithinMs: 120_000 })
  return next && (next.getTime() - now.getTime()) / 1_000
}

test('the waits for an answer grow from a second to a day', () => {
  const waits = Array.from({ length: 11 }, (_, checks) => computeWait({ state: 'submitted', checks }))
  expect(waits).toEqual([1, 5, 15, 60, 300, 1_800, 7_200, 21_600, 43_200, 86_400, 86_400])
})

test('the provider names the wait for a payment in progress; otherwise it grows to a day without end', () => {
  expect(computeWait({ state: 'processing', checkAfterMs: 250 })).toBe(0.25)
  const waits = [0, 1, 2, 3, 4, 99].map((checks) => computeWait({ state: 'processing', checks }))
  expect(waits).toEqual([60, 600, 3_600, 21_600, 86_400, 86_400])
})

test('a buyer is checked after a minute and at the end of their time', () => {
  expect(computeWait({ state: 'requires_action' })).toBe(60)
  expect(computeWait({ state: 'requires_action', checks: 1 })).toBe(1_800)
  expect(computeWait({ state: 'requires_action', checks: 1, actionUntil: new Date(now.getTime() + 5_000) })).toBe(5)
})

test('a closing payment is checked from five seconds to a day, one in quarantine daily, a settled one never', () => {
  expect([0, 1, 2, 3, 4, 5].map((checks) => computeWait({ state: 'closing', checks }))).toEqual([5, 60, 600, 3_600, 86_400, 86_400])
  expect(computeWait({ state: 'submitted', quarantineReason: 'amount' })).toBe(86_400)
  expect([computeWait({ state: 'failed' }), computeWait({ state: 'succeeded' })]).toEqual([null, null])
})

test('waits vary by ten percent', () => {
  expect([0, 1].map((random) => computeWait({ state: 'submitted', checks: 3 }, random))).toEqual([54, 66])
})

test('an unknown submission is checked when an untouched object proves that it came to nothing [payments 28]', () => {
  const sentAt = new Date(now.getTime() - 90_000)
  expect(computeWait({ state: 'submitted', checks: 4, sentAt })).toBe(30)
  expect(computeWait({ state: 'submitted', checks: 0, sentAt })).toBe(1)
  expect(computeWait({ state: 'submitted', checks: 4, sentAt: new Date(now.getTime() - 120_000) })).toBe(300)
})
