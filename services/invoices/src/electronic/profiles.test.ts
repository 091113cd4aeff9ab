import { expect, test } from 'vitest'
import { anElectronicDocument, aTax } from '../../test/electronic-document.ts'
import { findViolatedRules } from '../../test/en16931/business-rules.ts'
import { findViolatedProfileRules } from '../../test/en16931/profile-rules.ts'
import { readCiiProfile, readUblProfile } from '../../test/en16931/read-profile.ts'
import { randomDocument, seeded } from '../../test/en16931/random-document.ts'
import { readCii, readUbl } from '../../test/en16931/read-invoice.ts'
import { parseXml } from '../../test/en16931/xml-tree.ts'
import type { DocumentModel } from '../rendering/document-model.ts'
import { findElectronicBlockers } from './electronic-blockers.ts'
import { ciiXml, ublXml } from './invoice-xml.ts'
import { effectiveProfile, findProfileBlockers, type Profile } from './profile-blockers.ts'

const contact = { name: 'Ada Lovelace', email: 'billing@northwind.example', phone: '+49 30 901820' }
const { seller, buyer } = anElectronicDocument()

/** A document of a seller whose settings suffice for every profile. */
function complete(changes: Partial<DocumentModel> = {}): DocumentModel {
  const document = { ...anElectronicDocument(), ...changes }
  return { ...document, orderId: '7f0c3e7a-1100-4c5a-9d55-0b8c2b4e0f5e', seller: { ...document.seller, contact } }
}

const untaxed = () => {
  const { lines, net } = anElectronicDocument()
  return { lines: lines.map((line) => ({ ...line, tax: 0 })), taxes: [], tax: 0, total: net }
}

const hostile = 'A & B <script>"x"</script> &amp; \u202e ]]>'

const transfer = {
  beneficiary: 'Northwind & Sons',
  iban: 'DE89370400440532013000',
  bic: 'COBADEFFXXX',
  reference: 'RF18539007547034',
  dueDate: '2026-12-09',
  epc: null,
}

/** Sixty documents: fifteen by hand, the others random. */
function sixtyDocuments(): DocumentModel[] {
  const { lines, net } = anElectronicDocument()
  const exempt = { ...seller, taxExemption: 'Kleinunternehmer gemäß § 19 UStG' }
  const reversed = { ...untaxed(), taxes: [aTax({ reverse_charge: true, taxable_amount: net, amount: 0 })] }
  const american = { ...buyer, taxId: null, electronicAddress: '0088:7300010000001' }
  const brooklyn = { line1: '1 Navy Yard', line2: null, city: 'Brooklyn', postal_code: '11205', state: 'US-NY', country: 'US' }
  const refersTo = { number: 'N-1', issuedAt: new Date('2026-10-01T00:00:00Z') }
  const made = [
    complete(),
    complete(reversed),
    complete({ ...untaxed(), seller: exempt }),
    complete({
      ...untaxed(),
      taxes: [aTax({ country: 'US', percentage: 0, taxable_amount: net })],
      buyer: { ...american, address: brooklyn },
    }),
    complete({ kind: 'credit_note', paidAt: null, refersTo }),
    complete({ ...untaxed(), seller: exempt, kind: 'credit_note', paidAt: null, refersTo }),
    complete({ refersTo }),
    complete({ taxBehavior: 'inclusive', servicePeriod: null }),
    complete({ buyerReference: '04011000-12345-34', timeZone: 'Asia/Tokyo' }),
    complete({ lines: lines.map((line, index) => (index === 1 ? { ...line, quantity: 3, taxPosition: 1 } : { ...line, taxPosition: 1 })) }),
    complete({ buyer: { ...buyer, name: hostile }, seller: { ...seller, footer: hostile } }),
    complete({ lines: lines.map((line) => ({ ...line, label: hostile })) }),
    complete({ paidAt: null, transfer }),
    complete({ paidAt: null, currency: 'usd', transfer: { ...transfer, bic: null } }),
    complete({ kind: 'credit_note', paidAt: null, refersTo, isOffset: true }),
  ]
  const random = seeded(302)
  while (made.length < 60) {
    const document = complete(randomDocument(random))
    const hasTax = document.taxes.length > 0
    if (findElectronicBlockers(document).length === 0 && hasTax) made.push(document)
  }
  return made
}

test('sixty documents violate no rule of EN 16931, XRechnung and Peppol as UBL and CII [documents 20]', async () => {
  for (const document of sixtyDocuments()) {
    for (const profile of ['en16931', 'xrechnung', 'peppol'] as const) {
      const wanted = { ...document, profile }
      expect(findProfileBlockers(wanted)).toEqual([])
      const [ubl, cii] = [parseXml(await ublXml(wanted, profile)), parseXml(await ciiXml(wanted, profile))]
      expect([findViolatedRules(readUbl(ubl)), findViolatedRules(readCii(cii))]).toEqual([[], []])
      if (profile === 'en16931') continue
      const [fromUbl, fromCii] = [readUblProfile(ubl), readCiiProfile(cii)]
      expect(findViolatedProfileRules(fromUbl, profile)).toEqual([])
      expect(findViolatedProfileRules(fromCii, profile)).toEqual([])
      expect({ ...fromCii, empty: [] }).toEqual({ ...fromUbl, empty: [] })
    }
  }
}, 120_000)

test.each<[rule: string, profile: 'xrechnung' | 'peppol', from: RegExp, to: string]>([
  ['BR-DE-1', 'xrechnung', /<cac:PaymentMeans>[^]*?<\/cac:PaymentMeans>/, ''],
  ['BR-DE-2 BR-DE-5', 'xrechnung', /<cbc:Name>Ada Lovelace<\/cbc:Name>/, ''],
  ['BR-DE-6 BR-DE-27', 'xrechnung', /\+49 30 901820/, '4x'],
  ['BR-DE-7 BR-DE-28', 'xrechnung', /billing@northwind\.example<\/cbc:ElectronicMail>/, 'billing</cbc:ElectronicMail>'],
  ['BR-DE-9', 'xrechnung', /<cbc:PostalZone>00-514<\/cbc:PostalZone>/, ''],
  ['BR-DE-15', 'xrechnung', /<cbc:BuyerReference>[^<]*<\/cbc:BuyerReference>/, ''],
  ['BR-DE-21', 'xrechnung', /xrechnung_3\.0/, 'xrechnung_2.3'],
  ['PEPPOL-EN16931-R007', 'peppol', /billing:01:1\.0/, 'billing:02:1.0'],
  ['PEPPOL-EN16931-R020', 'peppol', /<cbc:EndpointID schemeID="9930">[^<]*<\/cbc:EndpointID>/, ''],
  ['PEPPOL-EN16931-CL008', 'peppol', /schemeID="9945"/, 'schemeID="EM"'],
])('finds a planted violation of %s', async (...[rule, profile, from, to]) => {
  const xml = await ublXml(complete(), profile)
  expect(findViolatedProfileRules(readUblProfile(parseXml(xml)), profile)).toEqual([])
  expect(xml).toMatch(from)
  expect(findViolatedProfileRules(readUblProfile(parseXml(xml.replace(from, to))), profile)).toContain(rule)
})

test('an invoice that is paid by transfer names account, reference and due date, and is due as a whole', async () => {
  const document = complete({ paidAt: null, transfer })
  const [ubl, cii] = [await ublXml(document), await ciiXml(document)]
  const due = (document.total / 100).toFixed(2)
  for (const part of [/<cbc:DueDate>2026-12-09</, />58</, /RF18539007547034/, /DE89370400440532013000/, /Northwind &amp; Sons/])
    expect(ubl).toMatch(part)
  expect(ubl).toMatch(new RegExp(`<cbc:PayableAmount currencyID="EUR">${due}<`))
  for (const part of [/>20261209</, />58</, /RF18539007547034/, /DE89370400440532013000/, /COBADEFFXXX/]) expect(cii).toMatch(part)
  expect(cii).toContain(`<ram:DuePayableAmount>${due}<`)
})

test('a credit note that is offset against an unpaid invoice is due as a whole, with terms that name the invoice', async () => {
  const refersTo = { number: 'N-1', issuedAt: new Date('2026-10-01T00:00:00Z') }
  const document = complete({ kind: 'credit_note', paidAt: null, refersTo, isOffset: true })
  const due = (document.total / 100).toFixed(2)
  const [ubl, cii] = [await ublXml(document), await ciiXml(document)]
  expect(ubl).toMatch(new RegExp(`<cbc:PayableAmount currencyID="EUR">${due}<`))
  expect(cii).toContain(`<ram:DuePayableAmount>${due}<`)
  for (const xml of [ubl, cii]) expect(xml).toContain('Offset against invoice N-1')
})

test('an exempt seller is category E with the reason, not outside of tax [documents 19]', async () => {
  const document = complete({ ...untaxed(), seller: { ...seller, taxExemption: 'Kleinunternehmer gemäß § 19 UStG' } })
  const { breakdown, seller: party } = readUbl(parseXml(await ublXml(document)))
  expect(breakdown).toMatchObject([{ vat: 'E 0', tax: 0, reason: 'Kleinunternehmer gemäß § 19 UStG' }])
  expect(party.vatNumber).toBe('DE136695976')
})

test.each<[missing: string, profile: Profile, changes: Partial<DocumentModel>]>([
  ['the contact', 'xrechnung', { seller: { ...seller, contact: null } }],
  ["the buyer's postal code", 'xrechnung', { buyer: { ...buyer, address: { ...buyer.address, postal_code: null } } }],
  ['a rate', 'xrechnung', untaxed()],
  ["the buyer's address in the network", 'peppol', { buyer: { ...buyer, taxId: null } }],
])('without %s a document follows EN 16931 only and names the reason [documents 20]', (_, profile, changes) => {
  const document = { ...complete(), ...changes, profile }
  expect(findElectronicBlockers(document)).toEqual([])
  expect(findProfileBlockers(document)).toHaveLength(1)
  expect(effectiveProfile(document)).toBe('en16931')
  expect(effectiveProfile({ ...complete(), profile })).toBe(profile)
})

test('dates follow the time zone of the seller [documents 10]', async () => {
  const late = complete({ issuedAt: new Date('2026-12-31T23:50:00Z'), timeZone: 'Asia/Tokyo' })
  expect(await ublXml(late)).toContain('<cbc:IssueDate>2027-01-01<')
})
