import { expect, test } from 'vitest'
import { nextRefundCall, type RefundProgress } from './refund-progress.ts'

const hour = 3_600_000
const [now, replayMs] = [new Date('2026-11-30T12:00:00Z'), 23 * hour]
const sent: RefundProgress = {
  id: 'refund',
  state: 'submitted',
  theirs: null,
  submission: 1,
  sends: 1,
  firstSentAt: now,
  sentAt: now,
  unansweredSince: now,
  checks: 0,
  observedAt: null,
  checkAfterMs: null,
  failureReason: null,
  quarantineReason: null,
}

const callAfter = (ageMs: number, isAbsent: boolean) =>
  nextRefundCall({ ...sent, firstSentAt: new Date(now.getTime() - ageMs) }, { now, replayMs, isAbsent })

test('a refund without an answer is repeated under its key for 15 minutes, then searched for', () => {
  expect(callAfter(hour / 4 - 1, false)).toEqual({ step: 'submit', submission: 1, isSearched: false })
  expect(callAfter(hour / 4, false)).toEqual({ step: 'find' })
})

test('after an empty search the key is kept as long as the provider knows it, and then a new one is used', () => {
  expect(callAfter(replayMs - 1, true)).toEqual({ step: 'submit', submission: 1, isSearched: true })
  expect(callAfter(replayMs, true)).toEqual({ step: 'submit', submission: 2, isSearched: true })
})

test('a quarantined refund is searched for and not made again', () => {
  const quarantined = { ...sent, quarantineReason: 'unanswered' }
  expect(nextRefundCall(quarantined, { now, replayMs, isAbsent: true })).toEqual({ step: 'find' })
  expect(nextRefundCall({ ...quarantined, submission: 0 }, { now, replayMs, isAbsent: true })).toEqual({ step: 'none' })
})
