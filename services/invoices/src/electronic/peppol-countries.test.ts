import { expect, test } from 'vitest'
import { anElectronicDocument, aTax } from '../../test/electronic-document.ts'
import { findViolatedProfileRules } from '../../test/en16931/profile-rules.ts'
import { readCiiProfile, readUblProfile } from '../../test/en16931/read-profile.ts'
import { parseXml } from '../../test/en16931/xml-tree.ts'
import type { DocumentModel } from '../rendering/document-model.ts'
import { peppolAddress } from './electronic-address.ts'
import { ciiXml, ublXml } from './invoice-xml.ts'
import { findProfileBlockers } from './profile-blockers.ts'

type Changes = { seller?: Partial<DocumentModel['seller']>; buyer?: Partial<DocumentModel['buyer']>; percentage?: number }

const address = { line1: 'Hovedgata 1', line2: null, city: 'Centrum', postal_code: '1000', state: null, country: 'DE' }
const contact = { name: 'Ada Lovelace', email: 'billing@northwind.example', phone: '+49 30 901820' }

/** A document of one line of 100.00 between two companies of a country. */
function domestic(country: string, { seller = {}, buyer = {}, percentage = 25 }: Changes): DocumentModel {
  const document = anElectronicDocument()
  const [line] = document.lines as [DocumentModel['lines'][number]]
  const tax = percentage * 100
  return {
    ...document,
    orderId: '7f0c3e7a-1100-4c5a-9d55-0b8c2b4e0f5e',
    profile: 'peppol',
    seller: { ...document.seller, contact, address: { ...address, country }, electronicAddress: '0088:7300010000001', ...seller },
    buyer: { ...document.buyer, address: { ...address, country }, taxId: null, electronicAddress: '0088:7300010000001', ...buyer },
    lines: [{ ...line, amount: 10_000, discount: 0, tax }],
    subtotal: 10_000,
    discount: 0,
    net: 10_000,
    tax,
    total: 10_000 + tax,
    taxes: [aTax({ country, percentage, taxable_amount: 10_000, amount: tax })],
  }
}

const complete: [country: string, changes: Changes][] = [
  ['DE', { seller: { taxId: 'DE136695976' }, percentage: 19 }],
  ['DK', { seller: { taxId: 'DK13585628' } }],
  ['IS', { seller: { taxId: '540269-6459' }, buyer: { taxId: '5506922009' }, percentage: 24 }],
  ['IT', { seller: { taxId: 'IT00743110157' }, percentage: 22 }],
  ['NL', { seller: { taxId: 'NL004495445B01' }, buyer: { taxId: '12345678' }, percentage: 21 }],
  ['NL', { seller: { taxId: '12345678' }, percentage: 21 }],
  ['NO', { seller: { taxId: 'NO 974 760 673 MVA' } }],
  ['SE', { seller: { taxId: 'SE556042722001' } }],
]

test.each(complete)('a document within %s violates no rule of Peppol [documents 20]', async (country, changes) => {
  for (const kind of ['invoice', 'credit_note'] as const) {
    const document = {
      ...domestic(country, changes),
      kind,
      ...(kind === 'credit_note' && { refersTo: { number: 'N-1', issuedAt: new Date() } }),
    }
    expect(findProfileBlockers(document)).toEqual([])
    const [ubl, cii] = [parseXml(await ublXml(document, 'peppol')), parseXml(await ciiXml(document, 'peppol'))]
    const [fromUbl, fromCii] = [readUblProfile(ubl), readCiiProfile(cii)]
    expect(findViolatedProfileRules(fromUbl, 'peppol')).toEqual([])
    expect({ ...fromCii, empty: [] }).toEqual({ ...fromUbl, empty: [] })
  }
})

const withoutStreet = { address: { ...address, line1: null } }

test.each<[rule: string, country: string, changes: Changes]>([
  ['DE-R-002 DE-R-005 DE-R-006 DE-R-007', 'DE', { seller: { taxId: 'DE136695976', contact: null }, percentage: 19 }],
  ['DK-R-002 DK-R-014', 'DK', { seller: { taxId: 'DK1' } }],
  ['GR-R-001 GR-R-004', 'GR', { seller: { taxId: 'EL094014201' }, percentage: 24 }],
  ['IS-R-002', 'IS', { seller: { taxId: 'IS12345' }, buyer: { taxId: '5506922009' } }],
  ['IS-R-004', 'IS', { seller: { taxId: '5402696459' } }],
  ['IT-R-002 IT-R-003 IT-R-004', 'IT', { seller: { taxId: 'IT00743110157', address: { ...withoutStreet.address, country: 'IT' } } }],
  ['IT-R-001', 'IT', { seller: { taxId: '123' } }],
  ['NL-R-002', 'NL', { seller: { taxId: '12345678', address: { ...withoutStreet.address, country: 'NL' } } }],
  ['NL-R-003', 'NL', { seller: { taxId: '123' } }],
  ['NL-R-004', 'NL', { seller: { taxId: '12345678' }, buyer: { address: { ...withoutStreet.address, country: 'NL' } } }],
  ['NL-R-005', 'NL', { seller: { taxId: '12345678' }, buyer: { taxId: '123' } }],
  ['NO-R-001', 'NO', { seller: { taxId: 'NO974760674MVA' } }],
  ['SE-R-001 SE-R-002', 'SE', { seller: { taxId: 'SE5560427220' } }],
  ['SE-R-005', 'SE', { seller: { taxId: '556042-7220' } }],
  ['SE-R-006', 'SE', { seller: { taxId: 'SE556042722001' }, percentage: 19 }],
])('a document that would violate %s names the reason and follows EN 16931 only [documents 20]', async (rule, country, changes) => {
  const document = domestic(country, changes)
  expect(findProfileBlockers(document)).toEqual([expect.stringMatching(/^Peppol (?:requires|allows) /)])
  // Forced into the profile, it violates the rule.
  expect(findViolatedProfileRules(readUblProfile(parseXml(await ublXml(document, 'peppol'))), 'peppol')).toContain(rule)
})

test.each([
  ['0007', '5560427220', '5560427221'],
  ['0088', '7300010000001', '7300010000002'],
  ['0151', '51824753556', '51824753557'],
  ['0184', 'DK13585628', '13585628'],
  ['0192', '974760673', '974760674'],
  ['0208', '0202239951', '0202239952'],
])('an address of scheme %s has the form and check digits of the scheme [documents 20]', (scheme, valid, invalid) => {
  const party = (id: string) => ({ address: null, taxId: null, electronicAddress: `${scheme}:${id}` })
  expect(peppolAddress(party(valid))).toEqual({ scheme, id: valid })
  expect(peppolAddress(party(invalid))).toBeNull()
})

test.each([
  ['NO', 'NO974760673MVA', { scheme: '0192', id: '974760673' }],
  ['SE', 'SE556042722001', { scheme: '0007', id: '5560427220' }],
  ['DE', 'DE136695976', { scheme: '9930', id: 'DE136695976' }],
])('a company of %s that names no address has the one of its tax ID [documents 20]', (country, taxId, expected) => {
  expect(peppolAddress({ address: { ...address, country }, taxId })).toEqual(expected)
})
