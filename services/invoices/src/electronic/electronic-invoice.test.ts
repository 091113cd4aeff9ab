import { InvoiceService } from '@e-invoice-eu/core'
import { expect, test } from 'vitest'
import { findViolatedRules } from '../../test/en16931/business-rules.ts'
import { randomDocument, seeded } from '../../test/en16931/random-document.ts'
import { readCii, readUbl } from '../../test/en16931/read-invoice.ts'
import { toXmlElement, parseXml } from '../../test/en16931/xml-tree.ts'
import { aLine, anElectronicDocument, aTax } from '../../test/electronic-document.ts'
import type { DocumentModel } from '../rendering/document-model.ts'
import { buildElectronicInvoice } from './electronic-invoice.ts'
import { ciiXml, ublXml } from './invoice-xml.ts'
import { ElectronicInvoiceError, findElectronicBlockers } from './electronic-blockers.ts'

const ambiguousRates = 'The document has several tax rates, and the rate of each line cannot be determined.'
const silent = { log: () => {}, warn: () => {}, error: () => {} }

function read(document: DocumentModel) {
  return readUbl(toXmlElement('Invoice', buildElectronicInvoice(document)['ubl:Invoice']))
}

/** The amounts of a document in hundredths. */
function computeTotals({ subtotal, discount, net, tax, total, currency }: DocumentModel) {
  const scale = currency === 'jpy' ? 100 : 1
  const sums = { lines: subtotal, allowances: discount, net, tax, gross: total, prepaid: total, payable: 0 }
  return Object.fromEntries(Object.entries(sums).map(([name, amount]) => [name, amount * scale]))
}

/** The same sale without tax. */
function untaxed(changes: Partial<DocumentModel> = {}): DocumentModel {
  const document = anElectronicDocument()
  const lines = document.lines.map((line) => ({ ...line, tax: 0 }))
  return { ...document, lines, taxes: [], tax: 0, total: document.net, ...changes }
}

test('keeps totals exact and violates no rule for ten thousand random sales', () => {
  const random = seeded(16_931)
  let electronic = 0
  for (let round = 0; round < 10_000; round++) {
    const document = randomDocument(random)
    const reasons = findElectronicBlockers(document)
    if (reasons.length > 0) {
      expect(reasons).toEqual([ambiguousRates])
      expect(document.taxes.length).toBeGreaterThan(1)
      continue
    }
    electronic++
    const invoice = read(document)
    expect(invoice.totals).toEqual(computeTotals(document))
    expect(findViolatedRules(invoice)).toEqual([])
  }
  expect(electronic).toBeGreaterThan(9000)
}, 120_000)

test('writes equal amounts in both syntaxes from a model that the library accepts', async () => {
  const random = seeded(2026)
  for (let round = 0; round < 12; round++) {
    const document = randomDocument(random)
    if (findElectronicBlockers(document).length > 0) continue
    const [cii, ubl] = [readCii(parseXml(await ciiXml(document))), readUbl(parseXml(await ublXml(document)))]
    expect(cii).toEqual(ubl)
    expect(ubl).toEqual({ ...read(document), typeCode: document.kind === 'invoice' ? '380' : '381' })
    expect(findViolatedRules(cii)).toEqual([])
    await new InvoiceService(silent).generate(buildElectronicInvoice(document), { format: 'CII', lang: 'en' })
  }
})

test('finds a violated rule', async () => {
  const xml = await ublXml(anElectronicDocument())
  const breaking: [string | RegExp, string, string][] = [
    ['>1729.01<', '>1729.02<', 'BR-CO-10'],
    ['<cbc:AllowanceTotalAmount currencyID="EUR">174.90', '<cbc:AllowanceTotalAmount currencyID="EUR">174.91', 'BR-CO-11'],
    ['<cbc:TaxExclusiveAmount currencyID="EUR">1554.11', '<cbc:TaxExclusiveAmount currencyID="EUR">1554.12', 'BR-CO-13'],
    [/(<cac:TaxTotal>\s*<cbc:TaxAmount currencyID="EUR">)357.44/, '$1357.45', 'BR-CO-14'],
    ['<cbc:TaxInclusiveAmount currencyID="EUR">1911.55', '<cbc:TaxInclusiveAmount currencyID="EUR">1911.56', 'BR-CO-15'],
    ['<cbc:PrepaidAmount currencyID="EUR">1911.55', '<cbc:PrepaidAmount currencyID="EUR">0.00', 'BR-CO-16'],
    ['<cbc:Percent>23<', '<cbc:Percent>22<', 'BR-x-01'],
    ['<cbc:TaxableAmount currencyID="EUR">1554.11', '<cbc:TaxableAmount currencyID="EUR">1554.10', 'BR-x-08'],
    ['<cbc:PriceAmount currencyID="EUR">19.99', '<cbc:PriceAmount currencyID="EUR">-19.99', 'BR-27'],
    ['<cbc:CompanyID>DE136695976<', '<cbc:CompanyID>136695976<', 'BR-CO-09'],
    [/<cac:PartyTaxScheme>[^]*?<\/cac:PartyTaxScheme>/, '', 'BR-CO-26'],
    [/<cbc:ID>S<\/cbc:ID>/g, '<cbc:ID>AE</cbc:ID>', 'BR-x-09'],
    [/<cbc:ID>S<\/cbc:ID>/g, '<cbc:ID>O</cbc:ID>', 'BR-O-02'],
    [/<cbc:Percent>23</g, '<cbc:Percent>40<', 'BR-CO-17'],
  ]
  expect(findViolatedRules(readUbl(parseXml(xml)))).toEqual([])
  for (const [from, to, rule] of breaking) {
    const changed = xml.replace(from, to)
    expect(changed).not.toBe(xml)
    expect(findViolatedRules(readUbl(parseXml(changed)))).toContain(rule)
  }
})

test('writes a negative line as quantity -1 with a positive price', () => {
  expect(read(anElectronicDocument()).lines[2]).toMatchObject({ quantity: -1, price: 1999, net: -1999 })
})

test('puts the discount at document level, so that lines add up to the printed subtotal', () => {
  expect(read(anElectronicDocument())).toMatchObject({
    allowances: [{ amount: 17_490, vat: 'S 23', reason: 'Discount' }],
    totals: { lines: 172_901, allowances: 17_490, net: 155_411 },
  })
})

test('assigns each line the category of its rate, and each rate its discount and tax base', () => {
  const lines = [
    aLine({ label: 'Handbook', amount: 3000, discount: 300, tax: 135 }),
    aLine({ label: 'Software', amount: 10_000, discount: 1000, tax: 2070 }),
    aLine({ label: 'Stamp', amount: 120 }),
  ]
  const taxes = [aTax({ percentage: 5, taxable_amount: 2700, amount: 135 }), aTax({ taxable_amount: 9000, amount: 2070 })]
  const sums = { subtotal: 13_120, discount: 1300, net: 11_820, tax: 2205, total: 14_025 }
  const invoice = read(anElectronicDocument({ lines, taxes, ...sums }))
  expect(invoice.lines.map(({ vat }) => vat)).toEqual(['S 5', 'S 23', 'E 0'])
  expect(invoice.allowances.map(({ vat, amount }) => [vat, amount])).toEqual([
    ['S 5', 300],
    ['S 23', 1000],
  ])
  expect(invoice.breakdown.map(({ vat, taxable, tax }) => [vat, taxable, tax])).toEqual([
    ['S 5', 2700, 135],
    ['S 23', 9000, 2070],
    ['E 0', 120, 0],
  ])
  expect(findViolatedRules(invoice)).toEqual([])
})

test('merges two taxes with the same percentage into one group', () => {
  const lines = [aLine({ amount: 1000, tax: 200 }), aLine({ amount: 3000, tax: 600 })]
  const taxes = [
    aTax({ percentage: 20, taxable_amount: 1000, amount: 200 }),
    aTax({ percentage: 20, country: 'FR', taxable_amount: 3000, amount: 600 }),
  ]
  const invoice = read(anElectronicDocument({ lines, taxes, subtotal: 4000, discount: 0, net: 4000, tax: 800, total: 4800 }))
  expect(invoice.breakdown).toEqual([{ vat: 'S 20', taxable: 4000, tax: 800, reason: null }])
})

test('does not guess the rate of lines that fit two rates', () => {
  const lines = [aLine({ label: 'A', amount: 100 }), aLine({ label: 'B', amount: 100 })]
  const taxes = [aTax({ percentage: 0, taxable_amount: 100 }), aTax({ reverse_charge: true, taxable_amount: 100 })]
  const document = anElectronicDocument({ lines, taxes, subtotal: 200, discount: 0, net: 200, tax: 0, total: 200 })
  expect(findElectronicBlockers(document)).toEqual([ambiguousRates])
})

test('names both parties by VAT number for reverse charge and states the exemption reason', () => {
  const document = untaxed()
  const invoice = read({ ...document, taxes: [aTax({ reverse_charge: true, taxable_amount: document.net })] })
  expect(invoice).toMatchObject({
    seller: { vatNumber: 'DE136695976' },
    buyer: { vatNumber: 'PL5260001246' },
    breakdown: [{ vat: 'AE 0', taxable: 155_411, tax: 0, reason: 'Reverse charge' }],
  })
  expect(findViolatedRules(invoice)).toEqual([])
})

test('omits VAT numbers for a sale outside VAT, as category O excludes all others', () => {
  const invoice = read(untaxed())
  expect(invoice.seller).toMatchObject({ vatNumber: null, taxRegistration: null, legalRegistration: 'DE136695976' })
  expect(invoice.buyer).toMatchObject({ vatNumber: null, legalRegistration: 'PL5260001246' })
  expect(invoice.breakdown).toEqual([{ vat: 'O', taxable: 155_411, tax: 0, reason: 'Not subject to VAT' }])
  expect(findViolatedRules(invoice)).toEqual([])
})

test('maps a zero rate to Z for a domestic sale and to G for an export from the European Union', () => {
  const document = untaxed({ taxes: [aTax({ percentage: 0, taxable_amount: 155_411 })] })
  expect(read(document).breakdown[0]).toMatchObject({ vat: 'Z 0', reason: null })
  const exported = { ...document, buyer: { ...document.buyer, address: { ...document.buyer.address, country: 'CH' }, taxId: null } }
  expect(read(exported).breakdown[0]).toMatchObject({ vat: 'G 0', reason: 'Export outside the European Union' })
  expect(findViolatedRules(read(exported))).toEqual([])
})

test('writes a tax ID that is not a VAT number as a registration', () => {
  const document = anElectronicDocument()
  const australian = { ...document.seller, address: { ...document.buyer.address, country: 'AU' }, taxId: '51 824 753 556' }
  const invoice = read({ ...document, seller: australian })
  expect(invoice.seller).toMatchObject({ vatNumber: null, taxRegistration: '51 824 753 556', legalRegistration: '51 824 753 556' })
  expect(findViolatedRules(invoice)).toEqual([])
})

test('references number and date of the corrected invoice on a credit note, in both syntaxes', async () => {
  const refersTo = { number: 'NORTHWIND-<41>', issuedAt: new Date('2026-10-01T09:00:00Z') }
  const note = anElectronicDocument({ kind: 'credit_note', paidAt: null, refersTo })
  for (const invoice of [readCii(parseXml(await ciiXml(note))), readUbl(parseXml(await ublXml(note)))]) {
    expect(invoice).toMatchObject({ typeCode: '381', preceding: { number: 'NORTHWIND-<41>', date: '20261001' } })
  }
})

test('writes no decimal point for a currency without minor unit, and always two digits for EUR', () => {
  const amounts = (currency: string) => {
    const [first] = buildElectronicInvoice(anElectronicDocument({ currency }))['ubl:Invoice']['cac:InvoiceLine']
    return first['cbc:LineExtensionAmount']
  }
  expect(['jpy', 'huf', 'eur'].map(amounts)).toEqual(['129900', '1299.00', '1299.00'])
})

test('writes zero totals and nothing due for a discount of 100 %', () => {
  const lines = [aLine({ amount: 5000, discount: 5000 })]
  const sums = { subtotal: 5000, discount: 5000, net: 0, tax: 0, total: 0 }
  const invoice = read(anElectronicDocument({ lines, taxes: [aTax()], ...sums }))
  expect(invoice.totals).toMatchObject({ lines: 5000, allowances: 5000, net: 0, gross: 0, prepaid: 0, payable: 0 })
  expect(findViolatedRules(invoice)).toEqual([])
})

test('preserves hostile text and replaces characters that XML cannot represent', async () => {
  const writable = `]]>&lt;&amp;&#38;R&D; AT&T</ram:Name><x y="1"> $& '" \u{1F600}`
  const label = `${writable}${String.fromCharCode(0, 7, 0xd8_00)}`
  const document = anElectronicDocument()
  const [first, ...rest] = document.lines
  const hostile = { ...document, lines: [{ ...aLine(), ...first, label }, ...rest] }
  const expected = `${writable}\uFFFD\uFFFD\uFFFD`
  expect(readCii(parseXml(await ciiXml(hostile))).lines[0]?.name).toBe(expected)
  expect(readUbl(parseXml(await ublXml(hostile))).lines[0]?.name).toBe(expected)
})

test('reports missing data as sentences and creates no electronic invoice', () => {
  const document = anElectronicDocument()
  const { seller, buyer } = document
  const reasons = (changes: Partial<DocumentModel>) => findElectronicBlockers({ ...document, ...changes })
  expect(reasons({})).toEqual([])
  expect(reasons({ seller: { ...seller, address: null, taxId: null } })).toEqual(['Your address is missing.', 'Your tax ID is missing.'])
  expect(reasons({ buyer: { ...buyer, address: { ...buyer.address, country: 'ZZ' } } })).toEqual([
    "The country of the buyer's address is not an ISO 3166 country.",
  ])
  expect(reasons({ currency: 'kwd' })).toEqual(['Electronic invoices support at most two decimal places; amounts in KWD have more.'])
  expect(reasons({ kind: 'credit_note' })).toEqual(['The credit note does not reference the invoice that it corrects.'])
  expect(reasons({ lines: [] })).toEqual(['The document has no lines.', 'The lines do not add up to the totals.'])
  expect(reasons({ total: document.total + 1 })).toEqual(['The lines do not add up to the totals.'])
  expect(reasons({ taxes: document.taxes.map((tax) => ({ ...tax, name: 'Sales tax', country: 'US' })) })).toEqual([
    'Electronic invoices support only value added tax; Sales tax of the United States is a different tax.',
  ])
  const lowRate = document.taxes.map((tax) => ({ ...tax, percentage: 22 }))
  expect(reasons({ taxes: lowRate })).toEqual(['A tax amount does not match its rate and taxable amount.'])
  const reverse = untaxed({ taxes: [aTax({ reverse_charge: true, taxable_amount: document.net })] })
  expect(findElectronicBlockers({ ...reverse, seller: { ...seller, taxId: '30/123/45678' }, buyer: { ...buyer, taxId: null } })).toEqual([
    'Reverse charge requires your VAT number with its country prefix; your tax ID is of another type.',
    "Reverse charge requires the buyer's VAT number with its country prefix.",
  ])
  expect(() => buildElectronicInvoice({ ...document, currency: 'kwd' })).toThrow(ElectronicInvoiceError)
})
