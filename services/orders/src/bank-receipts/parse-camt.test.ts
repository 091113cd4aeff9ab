import { expect, test } from 'vitest'
import { parseCamt } from './parse-camt.ts'
import { UnreadableXml } from './read-xml.ts'
import { buildCamt, testIban } from '../../test/camt.ts'

test('reads booked credits of both versions of the standard', () => {
  for (const version of ['02', '08']) {
    const [statement] = parseCamt(
      buildCamt([{ unstructured: ['Invoice 7'] }, { status: 'PDNG' }, { direction: 'DBIT' }, { direction: 'DBIT', isReversal: true }], {
        version,
      }),
    )
    expect(statement?.iban).toBe(testIban)
    expect(statement?.credits).toEqual([
      {
        bankReference: '2026-11-24/BANK-1',
        hasReference: true,
        amount: 4200n,
        currency: 'eur',
        bookedOn: '2026-11-24',
        text: 'Invoice 7',
        payerName: 'Ada & Sons',
        isReversal: false,
        isUndivided: false,
        booking: null,
      },
      expect.objectContaining({ bankReference: '2026-11-24/BANK-1', isReversal: true }),
    ])
  }
})

test('reads a reversal that the bank marks with 1 instead of true', () => {
  for (const direction of ['CRDT', 'DBIT'] as const) {
    const [statement] = parseCamt(buildCamt([{ direction, isReversal: true }]).replace('<RvslInd>true', '<RvslInd>1'))
    expect(statement?.credits).toMatchObject([{ isReversal: true }])
  }
})

test('divides a collective booking only if its parts are the whole', () => {
  const parts = [
    { amount: '40.00', structured: 'A' },
    { amount: '2.00', structured: 'B' },
  ]
  const [whole] = parseCamt(buildCamt([{ parts }]))
  expect(whole?.credits.map(({ amount, text }) => [amount, text])).toEqual([
    [4000n, 'A'],
    [200n, 'B'],
  ])
  const [other] = parseCamt(buildCamt([{ amount: '43.00', parts }]))
  expect(other?.credits.map(({ amount, text, isUndivided }) => [amount, text, isUndivided])).toEqual([[4300n, 'A B', true]])
  const [foreign] = parseCamt(buildCamt([{ parts: parts.map((part) => ({ ...part, currency: 'CHF' })) }]))
  expect(foreign?.credits.map(({ amount, currency }) => [amount, currency])).toEqual([[4200n, 'eur']])
})

test('divides a collective booking by the amounts that its payers instructed, if they are the whole', () => {
  const build = (amount: string) => {
    const parts = [
      { amount: '40.00', structured: 'A', payer: 'Ada' },
      { amount: '2.00', structured: 'B', payer: 'Bob' },
    ]
    return buildCamt([{ amount, parts }]).replaceAll(/<TxDtls>(<Amt .*?<.Amt>)/g, '<TxDtls><AmtDtls><InstdAmt>$1</InstdAmt></AmtDtls>')
  }
  const read = (amount: string) => parseCamt(build(amount))[0]?.credits.map((each) => [each.amount, each.text, each.payerName])
  expect(read('42.00')).toEqual([
    [4000n, 'A', 'Ada'],
    [200n, 'B', 'Bob'],
  ])
  expect(read('41.00')).toEqual([[4100n, 'A B', 'Ada, Bob']])
})

test('reads what banks write beside the remittance information', () => {
  const document = buildCamt([{ structured: 'A', unstructured: ['B'] }])
  const strd = document
    .replace('</Strd>', '<AddtlRmtInf>C</AddtlRmtInf></Strd>')
    .replace('</TxDtls>', '<AddtlTxInf>D</AddtlTxInf></TxDtls>')
  expect(parseCamt(strd)[0]?.credits[0]?.text).toBe('A B C D')
})

test('each part of a collective booking has the reference and the text of the booking after its own', () => {
  const document = buildCamt([{ parts: [{ amount: '40.00', structured: 'A' }, { amount: '2.00' }] }])
  const [whole] = parseCamt(document.replace('<NtryDtls>', '<AddtlNtryInf>Collected</AddtlNtryInf><NtryDtls>'))
  expect(whole?.credits.map(({ bankReference, text }) => [bankReference, text])).toEqual([
    ['2026-11-24/BANK-1', 'A Collected'],
    ['2026-11-24/BANK-1', 'Collected'],
  ])
})

test('the same document gives the same references, also where the bank gives none', () => {
  const document = buildCamt([
    { reference: null, unstructured: ['one'] },
    { reference: 'NONREF', unstructured: ['one'] },
    { reference: null, unstructured: ['two'] },
  ])
  const read = () => parseCamt(document)[0]?.credits.map(({ bankReference }) => bankReference)
  expect(new Set(read()).size).toBe(2)
  expect(read()).toEqual(read())
})

test('a credit has the same reference beside statements of other accounts', () => {
  const entries = [{ reference: null, unstructured: ['one'] }, {}]
  const [own, other] = [buildCamt(entries), buildCamt(entries, { iban: 'GB82WEST12345698765432' })]
  const both = other.replace('</Stmt>', () => `</Stmt>${own.slice(own.indexOf('<Stmt>'), own.indexOf('</BkToCstmrStmt>'))}`)
  expect(parseCamt(both)[1]).toEqual(parseCamt(own)[0])
})

test('amounts are exact in the minor units of their currency', () => {
  const readAmount = (amount: string, currency: string) => parseCamt(buildCamt([{ amount, currency }]))[0]?.credits[0]?.amount
  expect(readAmount('42', 'EUR')).toBe(4200n)
  expect(readAmount('42.1', 'EUR')).toBe(4210n)
  expect(readAmount('1234.50000', 'EUR')).toBe(123_450n)
  expect(readAmount('500', 'JPY')).toBe(500n)
  expect(readAmount('1.234', 'KWD')).toBe(1234n)
  for (const [amount, currency] of [
    ['42.001', 'EUR'],
    ['500.5', 'JPY'],
    ['-1.00', 'EUR'],
    ['1e3', 'EUR'],
    ['', 'EUR'],
    ['1.00', 'euro'],
  ] as const)
    expect(() => readAmount(amount, currency)).toThrow(UnreadableXml)
})

test('a comment may be long; tags with thousands of attributes, and thousands of prefixes, are rejected', () => {
  const document = buildCamt([{}])
  const add = (text: string) => document.replace('<BkToCstmrStmt>', `<BkToCstmrStmt>${text}`)
  expect(parseCamt(add(`<!--${'- '.repeat(50_000)}-->`))).toEqual(parseCamt(document))
  const attributes = Array.from({ length: 2_000 }, (_, index) => `a${index}=""`).join(' ')
  expect(() => parseCamt(add(`<a ${attributes}/>`))).toThrow('too long')
  expect(() => parseCamt(add(Array.from({ length: 2_000 }, (_, index) => `<a xmlns:a${index}="u"/>`).join('')))).toThrow(
    'too many prefixes',
  )
})

test('a booking of 0, as banks close an account with, is left out', () => {
  const [statement] = parseCamt(buildCamt([{ amount: '0.00' }, {}, { amount: '7.00', parts: [{ amount: '7.00' }, { amount: '0' }] }]))
  expect(statement?.credits.map(({ amount }) => amount)).toEqual([4200n, 700n])
})

test('rejects document types, entities, other documents and deep nesting [payments 64]', () => {
  const entity = '<!DOCTYPE x [<!ENTITY a "b">]>'
  for (const document of [
    buildCamt([{}], { prolog: entity }),
    buildCamt([{ payer: '&a;' }]),
    buildCamt([{}], { version: '99' }),
    `${entity}<Document/>`,
    '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"></Document>',
    '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02">',
    '',
    'hello',
    '<a>'.repeat(1_000),
    '<a/>'.repeat(100_000),
    `<a>${'<b/>'.repeat(90_000)}</a>`,
    '<a><__proto__>1</__proto__></a>',
  ])
    expect(() => parseCamt(document)).toThrow(UnreadableXml)
})
