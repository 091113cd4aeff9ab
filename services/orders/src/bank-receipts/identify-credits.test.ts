import { expect, test } from 'vitest'
import { identifyCredits, type RecordedReceipt } from './identify-credits.ts'
import type { StatementCredit } from './parse-camt.ts'

const base = '2026-11-24/BANK-1'

const credit = (amount: number, text: string, payerName: string | null = 'Ada'): StatementCredit => ({
  bankReference: base,
  amount: BigInt(amount),
  currency: 'eur',
  bookedOn: '2026-11-24',
  text,
  payerName,
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

test.each([
  ['a text with other spaces', credit(500, 'Invoice 7 '), 'invoice7'],
  ['a payer that was cut off', credit(500, 'a', 'Ada Lovelace'), 'a'],
  ['a payer whose names are in another order', credit(500, 'a', 'Lovelace, ADA'), 'a'],
  ['an entry in the middle of its text', credit(500, 'Thanks E2E-7 and more'), 'thanks, and more'],
  ['a text without accents', credit(500, 'Danke schon'), 'Danke schön'],
  [
    'the reference of the same payment, also of a payer in another spelling',
    credit(500, 'REF RF18 5390 0754 7034 A', 'Frau Mueller'),
    'RF18539007547034A, Müller',
  ],
])('a credit is known with %s', (_, completed, text) => {
  const earlier = { ...receipt(base, { amount: 500, text }), payer_name: completed.payerName === 'Lovelace, ADA' ? 'Ada Lovelace' : 'Ada' }
  expect(identify([completed], [earlier])).toEqual([[completed.text, base, false]])
})

test.each([
  ['by another payer', credit(500, 'a', 'Bob')],
  ['with another text', credit(500, 'b')],
  ['for another payment', credit(500, 'RF71 3480 6731 2345 B')],
])('a credit of the same amount %s is another one, also in a later document', (_, other) => {
  const text = other.text?.startsWith('RF') ? 'RF18 5390 0754 7034 A' : 'a'
  expect(identify([other], [receipt(base, { amount: 500, text })])).toEqual([[other.text, `${base}/2`, true]])
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

test('a receipt of the seller is not taken for a credit that an earlier statement has, whatever their order', () => {
  const recorded = [bySeller(500), receipt(`${base}/2`, { amount: 500, text: 'a' })]
  for (const known of [recorded, recorded.toReversed()]) {
    expect(identify([credit(500, 'a, completed'), credit(500, 'b', 'Bob')], known)).toEqual([
      ['a, completed', `${base}/2`, false],
      ['b', base, false],
    ])
  }
})

test('receipts of the seller with notes are found by their amounts', () => {
  const recorded = [500, 700].map((amount, index) => ({
    ...bySeller(amount),
    bank_reference: index ? `${base}/2` : base,
    reference: 'note',
  }))
  expect(identifyCredits([credit(700, 'a'), credit(500, 'b')], recorded).map((each) => [each.bankReference, each.isConflict])).toEqual([
    [`${base}/2`, false],
    [base, false],
  ])
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
