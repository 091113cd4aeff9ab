import { expect, test } from 'vitest'
import { samplePayment } from '../../test/sample-payment.ts'
import { recordAnswer } from './record-answer.ts'

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
