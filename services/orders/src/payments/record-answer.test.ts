import { expect, test } from 'vitest'
import type { Answer, Seen } from '../providers/provider.ts'
import { samplePayment } from '../../test/sample-payment.ts'
import { quarantineAfterMs } from './check-schedule.ts'
import { recordAnswer, recordOutcome, recordSend, type AnsweredCall } from './record-answer.ts'

const now = new Date('2026-11-27T12:00:00Z')
const expected = { ours: 'p', theirs: null, account: 'acct', mode: 'test' as const, money: { amount: 30n, currency: 'usd' } }

test('an amount that is never taken ends a payment of the schedule; a fault of the account is waited for [payments 33]', () => {
  const payment = samplePayment({ initiator: 'schedule', state: 'created', preparation: 1, sends: 1 })
  const record = (misconfigured: 'amount' | 'currency' | 'account' | 'credentials') =>
    recordAnswer(payment, { step: 'prepare', answer: { misconfigured, detail: '' }, readAt: now }, { now, expected }).payment
  expect(record('amount')).toMatchObject({ state: 'closing', failureReason: 'misconfigured', sends: 0 })
  expect(record('currency')).toMatchObject({ state: 'closing', failureReason: 'misconfigured' })
  expect(record('account')).toMatchObject({ state: 'created', sends: 0 })
  expect(record('credentials')).toMatchObject({ state: 'created', sends: 0 })
})

test('a payer that was deleted at the provider is replaced twice at most', () => {
  const payment = samplePayment({ initiator: 'buyer', state: 'created', preparation: 1, sends: 1 })
  const record = (preparation: number) => {
    const answer = { misconfigured: 'payer', detail: '' } as const
    return recordAnswer({ ...payment, preparation }, { step: 'prepare', answer, readAt: now }, { now, expected }).payment
  }
  expect(record(1)).toMatchObject({ state: 'created', preparation: 2, sends: 0 })
  expect(record(2)).toMatchObject({ state: 'created', preparation: 3, sends: 0 })
  expect(record(3)).toMatchObject({ state: 'closing', failureReason: 'misconfigured' })
})

const earlier = new Date(now.getTime() - quarantineAfterMs)
const sent = samplePayment({ state: 'submitted', theirs: 'o', preparation: 1, submission: 1, sends: 1 })

/** Records the answer to a call of this step that began now. */
function record(payment: typeof sent, step: AnsweredCall['step'], answer: Answer<Seen>) {
  return recordAnswer(payment, { step, answer, readAt: now }, { now, expected: { ...expected, theirs: payment.theirs } })
}

test('a call that was certainly not sent is repeated under the same key', () => {
  const unsent = { unknown: 'connection', sent: false, retryAfterMs: null } as const
  expect(record({ ...sent, unansweredSince: now }, 'submit', unsent).payment).toMatchObject({
    state: 'prepared',
    sends: 0,
    unansweredSince: null,
  })
  const again = { ...sent, sends: 2, unansweredSince: earlier }
  expect(record(again, 'submit', unsent).payment).toMatchObject({ state: 'submitted', sends: 1, unansweredSince: earlier })
  expect(record(sent, 'prepare', unsent).payment).toMatchObject({ state: 'submitted', sends: 0 })
  expect(record({ ...sent, state: 'processing' }, 'submit', unsent).payment).toMatchObject({ state: 'processing', sends: 0 })
  expect(record({ ...sent, sends: 0 }, 'submit', unsent).payment.sends).toBe(0)
  for (const step of ['read', 'cancel'] as const)
    expect(record(sent, step, unsent)).toEqual({ payment: sent, effects: [], isAbsent: false })
})

test('a call without an answer is waited for, and quarantines the payment once it lasts too long', () => {
  const lost = { unknown: 'timeout', sent: true, retryAfterMs: null } as const
  expect(record(sent, 'submit', lost).payment).toMatchObject({ state: 'submitted', unansweredSince: now, quarantineReason: null })
  expect(record({ ...sent, unansweredSince: earlier }, 'read', lost).payment).toMatchObject({ quarantineReason: 'unanswered' })
  const recent = new Date(earlier.getTime() + 1)
  expect(record({ ...sent, unansweredSince: recent }, 'read', lost).payment).toMatchObject({
    unansweredSince: recent,
    quarantineReason: null,
  })
  expect(record({ ...sent, preparation: 0, unansweredSince: earlier }, 'find', lost).payment.quarantineReason).toBeNull()
  expect(record({ ...sent, quarantineReason: 'amount', unansweredSince: earlier }, 'read', lost).payment.quarantineReason).toBe('amount')
})

test('a fault of the configuration ends a payment of the buyer, but never one that may have been paid', () => {
  const fault = { misconfigured: 'account', detail: '' } as const
  const bought = { ...sent, initiator: 'buyer' as const }
  for (const initiator of ['buyer', 'buyer_again'] as const)
    expect(record({ ...bought, initiator }, 'submit', fault).payment).toMatchObject({ state: 'closing', failureReason: 'misconfigured' })
  expect(record(bought, 'read', fault).payment).toMatchObject({ state: 'submitted', failureReason: null })
  expect(record({ ...bought, quarantineReason: 'amount' }, 'submit', fault).payment).toMatchObject({
    state: 'prepared',
    failureReason: null,
  })
  expect(record({ ...bought, state: 'closing' }, 'cancel', fault).payment).toMatchObject({ state: 'closing', failureReason: null })
  const payer = { misconfigured: 'payer', detail: '' } as const
  expect(record({ ...bought, state: 'prepared' }, 'submit', payer).payment).toMatchObject({ state: 'closing', preparation: 1 })
})

const got: Seen = {
  ours: 'p',
  theirs: 'o',
  account: 'acct',
  mode: 'test',
  money: expected.money,
  received: null,
  is: 'processing',
  checkAfterMs: 60_000,
}
const processing = { got }

test('an answer ends the quarantine for missing answers and no other', () => {
  const waiting = { ...sent, unansweredSince: earlier }
  expect(record({ ...waiting, quarantineReason: 'unanswered' }, 'read', processing).payment).toMatchObject({
    state: 'processing',
    quarantineReason: null,
    unansweredSince: null,
  })
  expect(record({ ...waiting, quarantineReason: 'amount' }, 'read', processing).payment).toMatchObject({
    state: 'submitted',
    quarantineReason: 'amount',
    unansweredSince: null,
  })
})

test('an answer about other money or another object quarantines the payment and changes nothing else', () => {
  const other = { got: { ...got, money: { amount: 31n, currency: 'usd' } } }
  const { payment, effects } = record(sent, 'read', other)
  expect(payment).toMatchObject({ state: 'submitted', theirs: 'o', quarantineReason: expect.stringMatching(/amount|money/) })
  expect(effects).toEqual([])
  expect(record({ ...sent, theirs: null }, 'prepare', other).payment.theirs).toBe('o')
})

test('that an object is absent ends the search for an unknown one, and contradicts a known one', () => {
  const absent = { absent: true } as const
  const unknown = record({ ...sent, theirs: null, unansweredSince: earlier }, 'read', absent)
  expect(unknown).toMatchObject({ isAbsent: true, payment: { unansweredSince: null, quarantineReason: null } })
  expect(record(sent, 'read', absent)).toMatchObject({ isAbsent: false, payment: { quarantineReason: 'the provider has no object o' } })
})

test('a call is counted before it is made, and a new key starts to count again', () => {
  const prepared = samplePayment({
    state: 'prepared',
    theirs: 'o',
    preparation: 1,
    submission: 1,
    sends: 2,
    firstSentAt: earlier,
    checks: 3,
  })
  const submit = (submission: number) => recordSend(prepared, { step: 'submit', submission }, now)
  expect(submit(1)).toMatchObject({ state: 'submitted', sends: 3, firstSentAt: earlier, sentAt: now, checks: 3, untouchedAt: null })
  expect(submit(2)).toMatchObject({ state: 'submitted', sends: 1, firstSentAt: now, checks: 0, unansweredSince: now })
  const prepare = (preparation: number) => recordSend(prepared, { step: 'prepare', preparation }, now)
  expect(prepare(1)).toMatchObject({ state: 'prepared', preparation: 1, sends: 3, firstSentAt: earlier })
  expect(prepare(2)).toMatchObject({ state: 'prepared', preparation: 2, sends: 1, firstSentAt: now })
  expect(recordSend({ ...prepared, firstSentAt: null }, { step: 'prepare', preparation: 1 }, now).firstSentAt).toBe(now)
  expect(recordSend({ ...prepared, unansweredSince: earlier }, { step: 'read' }, now)).toMatchObject({
    sends: 2,
    unansweredSince: earlier,
  })
  expect(recordSend(prepared, { step: 'payer' }, now)).toBe(prepared)
})

test('a payment without an object fails, and the answer about a payer changes no payment', () => {
  const about = { call: { step: 'read' } as const, readAt: now, now, expected, isAbsent: false }
  expect(recordOutcome(sent, { ...about, outcome: null })).toMatchObject({
    isAbsent: true,
    effects: [{ effect: 'failed', reason: 'canceled' }],
  })
  expect(recordOutcome(sent, { ...about, outcome: { payer: 'cus' }, isAbsent: true })).toEqual({
    payment: sent,
    effects: [],
    isAbsent: true,
  })
  expect(recordOutcome(sent, { ...about, expected: { ...expected, theirs: 'o' }, outcome: processing }).payment.state).toBe('processing')
})
