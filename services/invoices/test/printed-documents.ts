import type { DocumentModel, DocumentLine } from '../src/rendering/document-model.ts'

const vat = { name: 'VAT', country: 'PL', state: null, percentage: 23, reverse_charge: false }

/** An invoice with two lines, a discount and one tax rate. */
export function aPrintedDocument(changes: Partial<DocumentModel> = {}): DocumentModel {
  return {
    kind: 'invoice',
    number: 'NORTHWIND-0042',
    issuedAt: new Date('2026-11-20T12:00:00Z'),
    locale: 'en',
    paper: 'a4',
    currency: 'usd',
    seller: {
      name: 'Northwind Analytics GmbH',
      address: { line1: 'Torstraße 1', line2: null, postal_code: '10119', city: 'Berlin', state: null, country: 'DE' },
      taxId: 'DE123456788',
      logo: null,
      footer: 'Northwind Analytics GmbH, Amtsgericht Charlottenburg HRB 123456 B\nIBAN DE02 1203 0000 0000 2020 51, BIC BYLADEM1001',
    },
    buyer: {
      name: 'Zofia Łukasiewicz & Synowie',
      address: { line1: 'ul. Marszałkowska 84/92', line2: null, postal_code: '00-514', city: 'Warszawa', state: null, country: 'PL' },
      taxId: 'PL5260001246',
      email: 'zofia@example.com',
    },
    orderedAt: new Date('2026-11-18T10:00:00Z'),
    servicePeriod: null,
    lines: [
      aPrintedLine({ label: 'Analytics Pro, yearly', amount: 129_900 }),
      aPrintedLine({ label: 'Onboarding workshop', amount: 45_000 }),
    ],
    subtotal: 174_900,
    discount: 17_490,
    net: 157_410,
    tax: 36_204,
    total: 193_614,
    taxBehavior: 'exclusive',
    taxes: [{ ...vat, taxable_amount: 157_410, amount: 36_204 }],
    paidAt: new Date('2026-11-18T10:02:00Z'),
    refersTo: null,
    verifyUrl: 'https://billing.example.com/verify/NORTHWIND-0042/qrvM3e7_ABEiM0RVZneImQ',
    ...changes,
  }
}

export function aPrintedLine(changes: Partial<DocumentLine> = {}): DocumentLine {
  return { label: 'Line', amount: 100, discount: 0, tax: 0, proration: false, ...changes }
}
