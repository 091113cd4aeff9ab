import { verificationPath } from '@quittance/contracts/invoice-verification'
import type { DocumentLine, DocumentModel } from '../src/rendering/document-model.ts'
import { aPrintedDocument, aPrintedLine } from './printed-documents.ts'

const { seller: northwind } = aPrintedDocument()
const contact = { name: 'Ada Lovelace', email: 'billing@northwind.example', phone: '+49 30 901820' }
const seller = { ...northwind, contact }
const card = { type: 'card', brand: 'visa', last4: '4242' }
const rate = { name: 'VAT', country: 'PL', state: null, percentage: 23, reverse_charge: false }

interface Sale {
  lines: readonly DocumentLine[]
  discount?: number
  percentage: number
  name?: string
}

/** Sums of lines with one rate. */
function sums({ lines, discount = 0, percentage, name = 'VAT' }: Sale) {
  const subtotal = lines.reduce((total, { amount }) => total + amount, 0)
  const net = subtotal - discount
  const tax = Math.round((net * percentage) / 100)
  const taxes = [{ ...rate, name, percentage, taxable_amount: net, amount: tax }]
  return { lines, subtotal, discount, net, tax, total: net + tax, taxes }
}

const month = { start: new Date('2026-11-18T10:00:00Z'), end: new Date('2026-12-18T10:00:00Z') }
const base = { seller, currency: 'eur', payment: card, timeZone: 'Europe/Berlin' }
const simple = sums({ lines: [aPrintedLine({ label: 'Analytics Pro, yearly', amount: 129_900 })], percentage: 23 })
const many = Array.from({ length: 65 }, (_, index) => aPrintedLine({ label: `Seat ${index + 1} of the team licence`, amount: 4350 }))

const documents: Readonly<Record<string, DocumentModel>> = {
  simple: aPrintedDocument({ ...base, ...simple }),
  'three-pages': aPrintedDocument({ ...base, number: 'NORTHWIND-0043', ...sums({ lines: many, discount: 28_275, percentage: 23 }) }),
  arabic: aPrintedDocument({
    ...base,
    locale: 'ar-AE',
    currency: 'aed',
    timeZone: 'Asia/Dubai',
    number: 'NOOR-0007',
    ...sums({ lines: [aPrintedLine({ label: 'اشتراك التحليلات الاحترافي، سنوي', amount: 129_900 })], percentage: 5, name: 'VAT' }),
    seller: {
      ...seller,
      name: 'النور للتحليلات ذ.م.م',
      taxId: '100123456700003',
      footer: null,
      contact: null,
      address: { line1: 'شارع الشيخ زايد 14', line2: null, postal_code: null, city: 'دبي', state: null, country: 'AE' },
    },
    buyer: {
      name: 'شركة الواحة للتجارة 24',
      taxId: null,
      email: 'waha@example.ae',
      address: { line1: 'شارع الكورنيش 8', line2: 'الطابق 3', postal_code: null, city: 'أبوظبي', state: null, country: 'AE' },
    },
  }),
  japanese: aPrintedDocument({
    ...base,
    locale: 'ja',
    currency: 'jpy',
    timeZone: 'Asia/Tokyo',
    number: 'SAKURA-0012',
    ...sums({ lines: [aPrintedLine({ label: 'アナリティクス Pro 年間プラン', amount: 174_900 })], percentage: 10, name: '消費税' }),
    seller: {
      ...seller,
      name: '株式会社サクラ分析',
      taxId: 'T1234567890123',
      footer: null,
      contact: null,
      address: { line1: '丸の内1-1-1', line2: null, postal_code: '100-0005', city: '千代田区', state: '東京都', country: 'JP' },
    },
    buyer: {
      name: '株式会社ミライ商事',
      taxId: null,
      email: 'mirai@example.jp',
      address: { line1: '梅田2-4-9', line2: null, postal_code: '530-0001', city: '大阪市北区', state: '大阪府', country: 'JP' },
    },
  }),
  'credit-note': aPrintedDocument({
    ...base,
    ...simple,
    kind: 'credit_note',
    number: 'CN-NORTHWI-0003',
    paidAt: null,
    payment: null,
    refersTo: { number: 'NORTHWIND-0042', issuedAt: new Date('2026-11-20T12:00:00Z') },
    issuedAt: new Date('2026-11-25T09:00:00Z'),
    refund: { reason: 'customer_request', refundedAt: new Date('2026-11-24T15:30:00Z') },
  }),
  proration: aPrintedDocument({
    ...base,
    number: 'NORTHWIND-0044',
    servicePeriod: month,
    issuedAt: new Date('2026-11-18T12:00:00Z'),
    ...sums({
      lines: [
        aPrintedLine({ label: 'Analytics Pro, monthly', amount: 12_900 }),
        aPrintedLine({ label: 'Unused time of Analytics Basic', amount: -1999, proration: true }),
      ],
      percentage: 23,
    }),
  }),
}

const id = '0b8c2b4e-0f5e-4c5a-9d55-1f7f0c3e7a11'

/** The documents of the pictures in docs/documents.md. */
export const pictureDocuments: Readonly<Record<string, DocumentModel>> = Object.fromEntries(
  Object.entries(documents).map(([name, document]) => {
    const verifyUrl = `https://billing.example.com${verificationPath({ number: document.number, id })}`
    return [name, { ...document, verifyUrl }]
  }),
)
