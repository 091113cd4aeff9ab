import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Seen } from '../providers/provider.ts'
import { close, fold, rankState, type Observation } from './fold.ts'
import type { PaymentProgress, PaymentState } from './payment-progress.ts'
import { samplePayment } from '../../test/sample-payment.ts'

const now = new Date('2026-11-23T12:00:00Z')
const money = { amount: 4200n, currency: 'usd' }
const facts = { ours: 'p', theirs: 'obj_1', account: 'acct', mode: 'test' as const, money, received: null }
const decline = { kind: 'soft' as const, code: 'generic' as const, providerCode: null, notBefore: null }
const method = { theirs: 'pm_1', type: 'card', brand: null, last4: null, expMonth: null, expYear: null, wallet: null }

const seen: Record<Seen['is'], Seen> = {
  untouched: { ...facts, is: 'untouched' },
  requires_action: { ...facts, is: 'requires_action', action: { by: 'client', clientSecret: 's' }, until: null },
  processing: { ...facts, is: 'processing', checkAfterMs: 60_000 },
  declined: { ...facts, is: 'declined', decline },
  canceled: { ...facts, is: 'canceled' },
  succeeded: { ...facts, is: 'succeeded', received: money, method, charge: 'ch_1' },
}
const declinedOtherwise: Seen = { ...facts, is: 'declined', decline: { ...decline, code: 'insufficient_funds' } }
const states = ['created', 'prepared', 'submitted', 'requires_action', 'processing', 'closing', 'failed', 'succeeded'] as const

const observations: fc.Arbitrary<Observation> = fc.record({
  seen: fc.constantFrom(...Object.values(seen), declinedOtherwise),
  readAt: fc.integer({ min: 0, max: 5 }).map((seconds) => new Date(now.getTime() + seconds * 1_000)),
})

function foldAll(payment: PaymentProgress, all: readonly Observation[]): PaymentProgress {
  return all.reduce((known, observation) => fold(known, observation).payment, payment)
}

/** The fields that are stored and sent to clients; `checks` counts what was seen. */
function pickResult({ state, action, decline: declined, declinedAt, charge, theirs, failureReason, untouchedAt }: PaymentProgress) {
  return { state, action, declined, declinedAt, charge, theirs, failureReason, untouchedAt }
}

test('the rank never falls, for every state and observation [payments 19]', () => {
  for (const state of states) {
    for (const each of Object.values(seen)) {
      const { payment } = fold(samplePayment({ state }), { seen: each, readAt: now })
      expect(rankState(payment.state)).toBeGreaterThanOrEqual(rankState(state))
    }
  }
})

test('any order and repetition of observations ends in the same state [payments 20]', () => {
  const histories = fc
    .array(observations, { maxLength: 8 })
    .chain((all) =>
      fc.tuple(
        fc.constant(all),
        fc.shuffledSubarray([...all, ...all, ...all.slice(0, 3)], { minLength: 2 * all.length + Math.min(3, all.length) }),
      ),
    )
  fc.assert(
    fc.property(histories, ([all, shuffled]) => {
      const start = samplePayment({ state: 'submitted' })
      expect(pickResult(foldAll(start, shuffled))).toEqual(pickResult(foldAll(start, all)))
    }),
    { numRuns: 2_000 },
  )
})

test('between requires_action and processing the read that began later wins [payments 21]', () => {
  const start = samplePayment({ state: 'submitted' })
  const early: Observation = { seen: seen.processing, readAt: now }
  const late: Observation = { seen: seen.requires_action, readAt: new Date(now.getTime() + 1) }
  for (const order of [
    [early, late],
    [late, early],
  ])
    expect(foldAll(start, order)).toMatchObject({ state: 'requires_action', action: { by: 'client' } })
  const reversed = [late, { ...early, readAt: new Date(now.getTime() + 2) }]
  expect(foldAll(start, reversed)).toMatchObject({ state: 'processing', action: null })
})

test('the later of two declines is kept, in any order of the answers', () => {
  const early: Observation = { seen: seen.declined, readAt: now }
  const late: Observation = { seen: declinedOtherwise, readAt: new Date(now.getTime() + 1) }
  const start = samplePayment({ state: 'submitted' })
  for (const order of [
    [early, late],
    [late, early],
  ])
    expect(foldAll(start, order).decline).toMatchObject({ code: 'insufficient_funds' })
  expect(foldAll(start, [late, { ...early, readAt: new Date(now.getTime() + 2) }]).decline).toMatchObject({ code: 'generic' })
})

test('checks are counted again once the state changes', () => {
  const waiting = samplePayment({ state: 'processing', checks: 4, observedAt: now })
  const later = new Date(now.getTime() + 1)
  expect(fold(waiting, { seen: seen.processing, readAt: later }).payment).toMatchObject({
    state: 'processing',
    checks: 4,
    observedAt: later,
  })
  expect(fold(waiting, { seen: seen.requires_action, readAt: later }).payment).toMatchObject({ state: 'requires_action', checks: 0 })
})

test('a stored method is no capture, and a payment that was closed keeps the reason', () => {
  const { effects } = fold(samplePayment({ state: 'submitted' }), { seen: { ...seen.succeeded, received: null } as Seen, readAt: now })
  expect(effects).toEqual([{ effect: 'stored', method }])
  const closed = close(samplePayment({ state: 'submitted', checks: 3 }), 'abandoned')
  expect(closed).toMatchObject({ state: 'closing', checks: 0, action: null })
  expect(fold(closed, { seen: seen.canceled, readAt: now }).effects).toEqual([{ effect: 'failed', reason: 'abandoned' }])
  const canceled = fold(samplePayment({ state: 'submitted' }), { seen: seen.canceled, readAt: now })
  expect(canceled.effects).toEqual([{ effect: 'failed', reason: 'canceled' }])
})

test('succeeded after failed is succeeded, and is captured once [payments 22]', () => {
  const failed = foldAll(samplePayment({ state: 'submitted' }), [
    { seen: seen.declined, readAt: now },
    { seen: seen.canceled, readAt: now },
  ])
  expect(failed).toMatchObject({ state: 'failed', failureReason: 'declined', decline })
  const { payment, effects } = fold(failed, { seen: seen.succeeded, readAt: now })
  expect(payment).toMatchObject({ state: 'succeeded', failureReason: null, decline: null, charge: 'ch_1' })
  expect(effects).toEqual([{ effect: 'captured', received: money, method }])
  for (const each of Object.values(seen)) expect(fold(payment, { seen: each, readAt: now }).effects).toEqual([])
})

test('a decline closes the payment; it fails once its object can no longer be paid', () => {
  const declined = fold(samplePayment({ state: 'submitted' }), { seen: seen.declined, readAt: now })
  expect(declined).toMatchObject({ payment: { state: 'closing' }, effects: [] })
  const canceled = fold(declined.payment, { seen: seen.canceled, readAt: now })
  expect(canceled).toMatchObject({ payment: { state: 'failed' }, effects: [{ effect: 'failed', reason: 'declined' }] })
})

test('an untouched object prepares a payment and changes no later state', () => {
  const stateAfter = (state: PaymentState) => fold(samplePayment({ state, theirs: null }), { seen: seen.untouched, readAt: now }).payment
  expect(stateAfter('created')).toMatchObject({ state: 'prepared', theirs: 'obj_1' })
  expect(stateAfter('submitted')).toMatchObject({ state: 'submitted', untouchedAt: now, unansweredSince: null })
})
