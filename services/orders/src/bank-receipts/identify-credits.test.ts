import { expect, test } from 'vitest'
import { identifyCredits, type RecordedReceipt } from './identify-credits.ts'
import type { StatementCredit } from './parse-camt.ts'

const base = '2026-11-24/BANK-1'

const credit = (amount: number, text: string): StatementCredit => ({
  bankReference: base,
  amount: BigInt(amount),
  currency: 'eur',
  bookedOn: '2026-11-24',
  text,
  payerName: 'Ada',
  isReversal: false,
})

const receipt = (bank_reference: string, { amount, text }: { amount: number; text: string | null }): RecordedReceipt => ({
  bank_reference,
  amount: String(amount),
  currency: 'eur',
  reference: text,
  payer_name: 'Ada',
  payment_id: null,
  source: 'statement',
})

const bySeller = (amount: number): RecordedReceipt => ({
  ...receipt(base, { amount, text: null }),
  payer_name: null,
  source: 'seller',
  payment_id: 'p',
})

/** Returns the text of each credit with its reference, and whether it is new. */
const identify = (credits: StatementCredit[], recorded: RecordedReceipt[] = []) =>
  identifyCredits(credits, recorded).map((each) => [each.credit.text, each.bankReference, each.recorded === null])

test('credits with the same reference get numbers, two equal ones too', () => {
  expect(identify([credit(500, 'a'), credit(700, 'b'), credit(700, 'b')])).toEqual([
    ['a', base, true],
    ['b', `${base}/2`, true],
    ['b', `${base}/3`, true],
  ])
})

test('a credit is known whatever its position in a later document', () => {
  const recorded = [receipt(base, { amount: 500, text: 'a' })]
  expect(identify([credit(700, 'b'), credit(500, 'a')], recorded)).toEqual([
    ['b', `${base}/2`, true],
    ['a', base, false],
  ])
  const both = [...recorded, receipt(`${base}/2`, { amount: 500, text: 'b' })]
  expect(identify([credit(500, 'b'), credit(500, 'a')], both)).toEqual([
    ['b', `${base}/2`, false],
    ['a', base, false],
  ])
})

test('a credit whose text the bank completed later is known', () => {
  expect(identify([credit(500, 'a, completed')], [receipt(base, { amount: 500, text: 'a' })])).toEqual([['a, completed', base, false]])
})

test('of two equal credits one is known and one is new', () => {
  expect(identify([credit(500, 'a'), credit(500, 'a')], [receipt(base, { amount: 500, text: 'a' })])).toEqual([
    ['a', base, false],
    ['a', `${base}/2`, true],
  ])
})

test('a receipt of the seller is the same credit; with another amount it is a conflict', () => {
  const [same, other] = [500, 5000].map((amount) => identifyCredits([credit(500, 'a')], [bySeller(amount)])[0])
  expect(same).toMatchObject({ bankReference: base, recorded: { payment_id: 'p' }, isConflict: false })
  expect(other).toMatchObject({ bankReference: base, recorded: { payment_id: 'p' }, isConflict: true })
})

test('a receipt is one credit, also where the bank itself ends a reference with a number', () => {
  const numbered = { ...credit(500, 'b'), bankReference: `${base}/2` }
  const recorded = [receipt(`${base}/2`, { amount: 500, text: 'b' })]
  expect(identify([credit(500, 'a'), numbered], recorded)).toEqual([
    ['a', base, true],
    ['b', `${base}/2`, false],
  ])
})

test('a reference that only begins alike is another one', () => {
  const recorded = [receipt(`${base}0`, { amount: 500, text: 'a' }), receipt(`${base}/x`, { amount: 500, text: 'a' })]
  expect(identify([credit(500, 'a')], recorded)).toEqual([['a', base, true]])
})
