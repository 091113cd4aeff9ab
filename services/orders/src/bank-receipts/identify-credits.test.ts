import { expect, test } from 'vitest'
import { TooManyCredits } from './comparison-budget.ts'
import type { RecordedReceipt } from './find-recorded.ts'
import { identifyCredits } from './identify-credits.ts'
import type { StatementCredit } from './statement-credit.ts'

const base = '2026-11-24/BANK-1'

const credit = (amount: number, text: string, payerName: string | null = 'Ada'): StatementCredit => ({
  bankReference: base,
  hasReference: true,
  amount: BigInt(amount),
  currency: 'eur',
  bookedOn: '2026-11-24',
  text,
  payerName,
  isReversal: false,
  isUndivided: false,
  booking: null,
})

const receipt = (bank_reference: string, { amount, text }: { amount: number; text: string | null }): RecordedReceipt => ({
  id: bank_reference,
  bank_reference,
  amount: String(amount),
  currency: 'eur',
  reference: text,
  payer_name: 'Ada',
  payment_id: null,
  payment_reference: null,
  is_returned: false,
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

test('the receipt of a seller is the credit that names its payment, or none, before any other', () => {
  const own = { ...bySeller(500), payment_reference: 'RF18539007547034' }
  const other = credit(500, 'RF71 3480 6731 2345', 'Bob')
  for (const mine of [credit(500, 'RF18 5390 0754 7034'), credit(500, 'Thanks')]) {
    const [isOther, isMine] = [
      [other.text, `${base}/2`, true],
      [mine.text, base, false],
    ]
    expect(identify([other, mine], [own])).toEqual([isOther, isMine])
    expect(identify([mine, other], [own])).toEqual([isMine, isOther])
  }
  expect(identify([other], [own])).toEqual([[other.text, base, false]])
})

test('the receipt of a seller is a credit of its payment, of any amount, before one of another', () => {
  const own = { ...bySeller(500), payment_reference: 'RF18539007547034' }
  const found = identifyCredits([credit(500, 'RF71 3480 6731 2345'), credit(400, 'RF18 5390 0754 7034')], [own])
  expect(found.map(({ recorded, isConflict }) => [recorded, isConflict])).toEqual([
    [null, false],
    [own, true],
  ])
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

const unnamed = (amount: number, text: string, payerName: string | null = 'Ada'): StatementCredit => ({
  ...credit(amount, text, payerName),
  hasReference: false,
  bankReference: `2026-11-24/${Buffer.from(`${text}${payerName}`.padEnd(12, '-')).toString('hex').slice(0, 24)}`,
})

const recordUnnamed = ({ amount, text, payerName, bankReference }: StatementCredit): RecordedReceipt => ({
  ...receipt(bankReference, { amount: Number(amount), text }),
  payer_name: payerName,
})

test.each([
  ['payer', unnamed(500, 'Invoice 7', 'Ada Lovelace')],
  ['text', unnamed(500, 'Invoice 7 of May')],
  ['text, in front', unnamed(500, 'May, Invoice 7')],
])('a credit without a reference of the bank is known after the bank completed its %s', (_, completed) => {
  const earlier = recordUnnamed(unnamed(500, 'Invoice 7'))
  expect(identify([completed], [earlier])).toEqual([[completed.text, earlier.bank_reference, false]])
})

test.each([
  ['within a word', 'Order 12 of Nov', 'Order 12 of November'],
  ['within the reference of a payment', 'Order 12 RF18 5390 0754 70', 'Order 12 RF18 5390 0754 7034'],
])('a credit whose text the bank had cut %s is known with the whole text', (_, cut, whole) => {
  const earlier = recordUnnamed(unnamed(500, cut))
  expect(identify([unnamed(500, whole)], [earlier])).toEqual([[whole, earlier.bank_reference, false]])
})

test.each([
  ['amount', unnamed(700, 'Invoice 7')],
  ['payer', unnamed(500, 'Invoice 7', 'Bob')],
  ['number that begins alike', unnamed(500, 'Invoice 71')],
  ['word that ends alike', unnamed(500, 'Reinvoice 7')],
  ['payer whose name contains the other', unnamed(500, 'Invoice 7', 'Nevada')],
  ['day', { ...unnamed(500, 'Invoice 7'), bookedOn: '2026-11-25', bankReference: '2026-11-25/0123456789abcdef01234567' }],
])('a credit without a reference of the bank is another one with another %s', (_, other) => {
  const earlier = recordUnnamed(unnamed(500, 'Invoice 7'))
  expect(identifyCredits([other], [earlier])).toMatchObject([{ recorded: null }])
})

test('credits without a reference of the bank stay two, by two payers and by one', () => {
  const [ada, bob] = [unnamed(500, 'Rent'), unnamed(500, 'Rent', 'Bob')]
  const isNew = (credits: StatementCredit[], recorded: StatementCredit[]) =>
    identifyCredits(
      credits.map((each) => ({ ...each })),
      recorded.map(recordUnnamed),
    ).map((each) => each.recorded === null)
  expect(isNew([ada, bob], [])).toEqual([true, true])
  expect(isNew([bob, ada], [ada])).toEqual([true, false])
  expect(isNew([ada, ada], [])).toEqual([true, true])
  expect(isNew([ada, ada], [ada])).toEqual([false, true])
  expect(isNew([unnamed(500, 'Rent', 'Ada Lovelace'), bob], [bob, ada])).toEqual([false, false])
})

test('a credit with a reference of the bank is never one without', () => {
  const earlier = recordUnnamed(unnamed(500, 'a'))
  expect(identify([credit(500, 'a')], [earlier])).toEqual([['a', base, true]])
})

test('without a reference of the bank, a receipt without payer and text is no other credit', () => {
  const empty = { ...unnamed(500, '', null), text: null }
  const [bob] = identifyCredits([unnamed(500, 'RF18 5390 0754 7034 A', 'Bob')], [{ ...recordUnnamed(empty), reference: null }])
  expect(bob?.recorded).toBeNull()
  const apart = [{ ...recordUnnamed(unnamed(500, '')), reference: null }]
  expect(identifyCredits([unnamed(500, 'Invoice 7', null)], apart)[0]?.recorded).toBeNull()
})

test('a reference of the bank decides for a receipt without payer and text, unless it is of another payment', () => {
  const empty = { ...receipt(base, { amount: 500, text: null }), payer_name: null }
  const of = (payment_reference: string | null) =>
    identifyCredits([credit(500, 'RF18 5390 0754 7034 A', 'Bob')], [{ ...empty, payment_reference }])[0]?.bankReference
  expect(of(null)).toBe(base)
  expect(of('RF18539007547034')).toBe(base)
  expect(of('RF71348067312345')).toBe(`${base}/2`)
})

test('a statement of 2,000 equal references is compared once, and one that differs in each credit is too large', () => {
  const credits = Array.from({ length: 2_000 }, (_, index) => credit(500, `x${index}`))
  const [known, others] = ['x', 'y'].map((text) =>
    credits.map((_, index) => receipt(index ? `${base}/${index + 1}` : base, { amount: 500, text: `${text}${index}` })),
  )
  expect(identifyCredits(credits, []).at(-1)?.bankReference).toBe(`${base}/2000`)
  expect(identifyCredits(credits.toReversed(), known ?? []).every((each) => each.recorded !== null)).toBe(true)
  expect(() => identifyCredits(credits, others ?? [])).toThrow(TooManyCredits)
})

test('300 completed credits with texts of 100 characters can be compared with as many receipts', () => {
  const texts = Array.from({ length: 300 }, (_, index) => `${index} `.padEnd(100, 'x'))
  const recorded = texts.map((text, index) => ({ ...receipt(`${base}/${index + 2}`, { amount: 500, text }), payer_name: null }))
  const credits = texts.toReversed().map((text) => credit(500, `${text} completed`, null))
  expect(identifyCredits(credits, recorded).every((each) => each.recorded !== null)).toBe(true)
})

const whole = { bankReference: base, amount: 1000n, currency: 'eur' }
const part = (text: string): StatementCredit => ({ ...credit(500, text), booking: whole })

test.each([
  ['without details', { ...receipt(base, { amount: 1000, text: null }), payer_name: null }],
  ['with the texts of its parts', { ...receipt(base, { amount: 1000, text: 'RF18539007547034 b' }), payer_name: 'Ada, Bob' }],
  ['by the seller', { ...bySeller(1000), payment_reference: 'RF71348067312345' }],
])('parts of a booking that is recorded as a whole %s are conflicts', (_, recorded) => {
  const parts = [part('RF18539007547034'), { ...part('b'), payerName: 'Bob' }]
  const found = identifyCredits([...parts, credit(500, 'c')], [recorded])
  expect(found.map((each) => [each.bankReference, each.isConflict])).toEqual([
    [base, true],
    [base, true],
    [`${base}/2`, false],
  ])
})

test('parts with separate references are conflicts of their recorded booking, and details alone are not', () => {
  const recorded = { ...receipt(base, { amount: 1000, text: null }), payer_name: null }
  const own = { ...part('a'), bankReference: '2026-11-24/PART-1' }
  const isConflict = (credits: StatementCredit[]) => identifyCredits(credits, [recorded]).map((each) => [each.recorded, each.isConflict])
  expect(isConflict([own, part('b')])).toEqual([
    [recorded, true],
    [recorded, true],
  ])
  expect(isConflict([{ ...own, amount: 1000n }])).toEqual([[recorded, false]])
})

test('a booking whose parts are recorded is a conflict, beside another credit of the same reference', () => {
  const [first, second] = ['RF18539007547034', 'b'].map((text, index) => receipt(`${base}/${index + 2}`, { amount: 500, text }))
  const recorded = [second, receipt(base, { amount: 700, text: 'c' }), first].flatMap((each) => each ?? [])
  const found = identifyCredits([{ ...credit(1000, '', null), text: null }], recorded)
  expect(found).toMatchObject([{ recorded: first, isConflict: true }])
})

test.each([
  ['names another payment', credit(1000, 'RF71348067312345', null)],
  ['has another payer', credit(1000, '', 'Bob')],
])('a credit of the sum of others that %s is new', (_, other) => {
  const parts = ['a', 'b'].map((text, index) => receipt(index ? `${base}/2` : base, { amount: 500, text }))
  expect(identifyCredits([other], parts)).toMatchObject([{ recorded: null, bankReference: `${base}/3` }])
})
