import type { AppliedTax } from '@quittance/contracts/taxes'
import type { DocumentModel, DocumentLine } from '../src/rendering/document-model.ts'

const german = { line1: 'Lange Straße 12', line2: null, postal_code: '10115', city: 'Berlin', state: null, country: 'DE' }
const polish = { line1: 'ul. Marszałkowska 84/92', line2: 'lok. 7', postal_code: '00-514', city: 'Warszawa', state: null, country: 'PL' }

export function aTax(changes: Partial<AppliedTax> = {}): AppliedTax {
  const rate = { name: 'VAT', country: 'PL', state: null, percentage: 23, reverse_charge: false }
  return { ...rate, taxable_amount: 0, amount: 0, ...changes }
}

export function aLine(changes: Partial<DocumentLine> = {}): DocumentLine {
  return { label: 'Analytics Pro', amount: 0, discount: 0, tax: 0, proration: false, ...changes }
}

/** A paid invoice between two member states: two lines with a discount of 10 %, a credit for an earlier month, one rate. */
export function anElectronicDocument(changes: Partial<DocumentModel> = {}): DocumentModel {
  return {
    kind: 'invoice',
    number: 'NORTHWIND-0042',
    issuedAt: new Date('2026-11-20T12:00:00Z'),
    locale: 'en',
    paper: 'a4',
    currency: 'eur',
    seller: { name: 'Nördwind & Łódź <GmbH>', address: german, taxId: 'DE136695976', logo: null, footer: 'Amtsgericht Berlin HRB 1234' },
    buyer: { name: 'Zofia Łukasiewicz & Synowie', address: polish, taxId: 'PL5260001246', email: 'zofia@example.com' },
    orderedAt: new Date('2026-11-18T10:00:00Z'),
    servicePeriod: { start: new Date('2026-11-18T10:00:00Z'), end: new Date('2026-12-18T10:00:00Z') },
    lines: [
      aLine({ label: 'Analytics Pro, yearly', amount: 129_900, discount: 12_990, tax: 26_889 }),
      aLine({ label: 'Onboarding workshop', amount: 45_000, discount: 4500, tax: 9315 }),
      aLine({ label: 'Unused time of Analytics Basic', amount: -1999, tax: -460, proration: true }),
    ],
    subtotal: 172_901,
    discount: 17_490,
    net: 155_411,
    tax: 35_744,
    total: 191_155,
    taxBehavior: 'exclusive',
    taxes: [aTax({ taxable_amount: 155_411, amount: 35_744 })],
    paidAt: new Date('2026-11-18T10:02:00Z'),
    refersTo: null,
    verifyUrl: 'https://billing.example.com/verify/NORTHWIND-0042',
    ...changes,
  }
}
