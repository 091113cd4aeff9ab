import { expect, test } from 'vitest'
import { samplePayment } from '../../test/sample-payment.ts'
import { nextCall, type NextCall } from './next-call.ts'
import type { PaymentProgress } from './payment-progress.ts'

const start = new Date('2026-11-23T12:00:00Z')
const minutes = (count: number) => new Date(start.getTime() + count * 60_000)
const hours = (count: number) => minutes(count * 60)

function stepAt(
  now: Date,
  values: Partial<PaymentProgress>,
  {
    settlesWithinMs = 120_000,
    ...situation
  }: { hasPayer?: boolean; isAbsent?: boolean; isRequested?: boolean; settlesWithinMs?: number } = {},
): NextCall {
  const capabilities = { replayMs: 23 * 3_600_000, settlesWithinMs }
  return nextCall(samplePayment(values), { now, capabilities, hasPayer: true, isAbsent: false, isRequested: false, ...situation })
}

test('the payer, then the object, then the submission, each under a first key', () => {
  expect(stepAt(start, {}, { hasPayer: false })).toEqual({ step: 'payer' })
  expect(stepAt(start, {})).toEqual({ step: 'prepare', preparation: 1 })
  expect(stepAt(start, { state: 'prepared', theirs: 'o', preparation: 1, sends: 1 })).toEqual({ step: 'submit', submission: 1 })
})

test('a lost preparation is repeated under its key, later searched for, and made again only if it is absent [payments 30]', () => {
  const lost = { preparation: 1, sends: 1, firstSentAt: start, sentAt: start, unansweredSince: start }
  expect(stepAt(hours(22), lost)).toEqual({ step: 'prepare', preparation: 1 })
  expect(stepAt(hours(23), lost)).toEqual({ step: 'find' })
  expect(stepAt(hours(23), lost, { isAbsent: true })).toEqual({ step: 'prepare', preparation: 2 })
})

test('an unknown submission is read, and repeated under its key once it is untouched for as long as it may take effect [payments 28]', () => {
  const unknown = { state: 'submitted' as const, theirs: 'o', submission: 1, sends: 1, firstSentAt: start, sentAt: start }
  expect(stepAt(minutes(1), unknown)).toEqual({ step: 'read' })
  expect(stepAt(minutes(3), { ...unknown, untouchedAt: minutes(1.9) })).toEqual({ step: 'read' })
  expect(stepAt(minutes(3), { ...unknown, untouchedAt: minutes(2) })).toEqual({ step: 'submit', submission: 1 })
  expect(stepAt(hours(24), { ...unknown, untouchedAt: hours(24) })).toEqual({ step: 'submit', submission: 2 })
  const atSandbox = { settlesWithinMs: 6_000 }
  expect(stepAt(minutes(1), { ...unknown, untouchedAt: minutes(0.09) }, atSandbox)).toEqual({ step: 'read' })
  expect(stepAt(minutes(1), { ...unknown, untouchedAt: minutes(0.1) }, atSandbox)).toEqual({ step: 'submit', submission: 1 })
})

test('a repeated submission without a result is followed by the next number [payments 29]', () => {
  const repeated = { state: 'submitted' as const, theirs: 'o', submission: 1, sends: 2, firstSentAt: start, sentAt: minutes(2) }
  expect(stepAt(minutes(3), repeated)).toEqual({ step: 'read' })
  expect(stepAt(minutes(4), { ...repeated, untouchedAt: minutes(4) })).toEqual({ step: 'submit', submission: 2 })
})

test('a call that was certainly not executed is repeated under its key', () => {
  expect(stepAt(start, { state: 'prepared', theirs: 'o', submission: 1, sends: 0 })).toEqual({ step: 'submit', submission: 1 })
  expect(stepAt(start, { preparation: 1, sends: 0 })).toEqual({ step: 'prepare', preparation: 1 })
})

test('a payment of a buyer is closed after ten minutes without a submission, one of the schedule is not [payments 17]', () => {
  for (const state of ['created', 'prepared'] as const) {
    const step = (initiator: 'buyer' | 'schedule', at: Date) =>
      stepAt(at, { initiator, state, theirs: state === 'prepared' ? 'o' : null }).step
    expect(step('buyer', minutes(9.9))).not.toBe('close')
    expect(step('buyer', minutes(10))).toBe('close')
    expect(step('schedule', hours(10))).not.toBe('close')
  }
  const untouched = { state: 'submitted' as const, theirs: 'o', submission: 1, sends: 1, firstSentAt: start, sentAt: start }
  expect(stepAt(minutes(11), { ...untouched, initiator: 'buyer', untouchedAt: minutes(11) }).step).toBe('close')
})

test('a buyer has thirty minutes to act, or the time that the provider names', () => {
  const waiting = { state: 'requires_action' as const, theirs: 'o', initiator: 'buyer' as const }
  expect(stepAt(minutes(29), waiting).step).toBe('read')
  expect(stepAt(minutes(30), waiting).step).toBe('close')
  expect(stepAt(minutes(30), { ...waiting, actionUntil: hours(336) }).step).toBe('read')
})

test('a closing payment is canceled; without an object it fails once that is proven', () => {
  expect(stepAt(start, { state: 'closing', theirs: 'o' }).step).toBe('cancel')
  expect(stepAt(start, { state: 'closing', preparation: 1 }).step).toBe('find')
  expect(stepAt(start, { state: 'closing', preparation: 1 }, { isAbsent: true }).step).toBe('fail')
  expect(stepAt(start, { state: 'closing' }).step).toBe('fail')
})

test('a payment in quarantine is only read [payments 31]', () => {
  for (const state of ['created', 'prepared', 'submitted', 'processing', 'closing'] as const) {
    const quarantined = {
      state,
      quarantineReason: 'amount',
      untouchedAt: hours(30),
      submission: 1,
      sends: 1,
      sentAt: start,
      firstSentAt: start,
    }
    expect(stepAt(hours(30), { ...quarantined, theirs: 'o' }).step).toBe('read')
    expect(['find', 'none']).toContain(stepAt(hours(30), quarantined).step)
  }
})

test('a settled payment is read only on request', () => {
  for (const state of ['failed', 'succeeded'] as const) {
    expect(stepAt(start, { state, theirs: 'o' })).toEqual({ step: 'none' })
    expect(stepAt(start, { state, theirs: 'o' }, { isRequested: true })).toEqual({ step: 'read' })
  }
})
