import { createLogger } from '@quittance/runtime/logger'
import { getDocumentProxy } from 'unpdf'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBrowser } from '../src/rendering/browser.ts'
import { printDocument } from '../src/rendering/print-document.ts'
import type { DocumentModel } from '../src/rendering/document-model.ts'
import { saveScreenshots } from './save-screenshots.ts'
import { aPng, toDataUrl } from './pictures.ts'
import { aPrintedDocument, aPrintedLine } from './printed-documents.ts'
import { extractDrawing } from './read-pdf.ts'

const log = createLogger('invoices', 'silent')
const browser = createBrowser(() => ({ path: process.env['PUPPETEER_EXECUTABLE_PATH'], sandbox: 'on' }))
beforeAll(() => browser.open())
afterAll(() => browser.close())

const aLogo = toDataUrl(aPng({ width: 160, height: 60, bits: 24 }))
const { seller, buyer, taxes, issuedAt } = aPrintedDocument()
const servicePeriod = { start: new Date('2026-11-18T10:00:00Z'), end: new Date('2026-12-18T10:00:00Z') }
const reversed = { taxes: taxes.map((tax) => ({ ...tax, reverse_charge: true, amount: 0 })), tax: 0, total: 157_410 }

const transfer = {
  beneficiary: 'Northwind Analytics',
  iban: 'DE89370400440532013000',
  bic: 'COBADEFFXXX',
  reference: 'RF18539007547034',
  dueDate: '2026-12-09',
  epc: 'BCD\n002\n1\nSCT\nCOBADEFFXXX\nNorthwind Analytics\nDE89370400440532013000\nEUR1936.14\n\nRF18539007547034',
}

const documents: Record<string, [pages: number, changes: Partial<DocumentModel>]> = {
  'invoice-with-logo': [1, { seller: { ...seller, logo: aLogo }, servicePeriod }],
  'forty-lines': [2, { lines: Array.from({ length: 40 }, (_, index) => aPrintedLine({ label: `Seat ${index + 1}`, amount: 4350 })) }],
  'credit-note': [1, { kind: 'credit_note', number: 'NORTHWIND-CN-0003', paidAt: null, refersTo: { number: 'NORTHWIND-0042', issuedAt } }],
  swiss: [1, { locale: 'de-CH', currency: 'chf', taxBehavior: 'inclusive', servicePeriod }],
  'french-reverse-charge': [1, { locale: 'fr', currency: 'eur', ...reversed }],
  japanese: [
    1,
    {
      locale: 'ja',
      currency: 'jpy',
      lines: [aPrintedLine({ label: 'アナリティクス Pro 年間プラン', amount: 174_900 })],
      buyer: {
        name: '株式会社サクラ商事',
        taxId: null,
        email: 'sakura@example.jp',
        address: { line1: '丸の内1-1-1', line2: null, postal_code: '100-0005', city: '千代田区', state: '東京都', country: 'JP' },
      },
    },
  ],
  chinese: [
    1,
    {
      locale: 'zh-CN',
      currency: 'cny',
      lines: [aPrintedLine({ label: '数据分析专业版（年度订阅）', amount: 174_900 })],
      buyer: {
        name: '北京云计算有限公司',
        taxId: '91110108MA01ABCD2X',
        email: 'yun@example.cn',
        address: { line1: '中关村大街27号', line2: '12层', postal_code: '100080', city: '海淀区', state: '北京市', country: 'CN' },
      },
      servicePeriod,
    },
  ],
  taiwanese: [
    1,
    {
      locale: 'zh-TW',
      currency: 'twd',
      lines: [aPrintedLine({ label: '資料分析專業版（年度訂閱）', amount: 174_900 })],
      buyer: {
        name: '臺灣雲端運算股份有限公司',
        taxId: null,
        email: 'yun@example.tw',
        address: { line1: '市府路1號', line2: null, postal_code: '110204', city: '信義區', state: '臺北市', country: 'TW' },
      },
    },
  ],
  korean: [
    1,
    {
      locale: 'ko',
      currency: 'krw',
      lines: [aPrintedLine({ label: '애널리틱스 프로, 연간 구독', amount: 174_900 })],
      buyer: {
        name: '주식회사 한국소프트웨어',
        taxId: '123-45-67890',
        email: 'hanguk@example.kr',
        address: { line1: '세종대로 110', line2: '3층', postal_code: '04524', city: '중구', state: '서울특별시', country: 'KR' },
      },
      servicePeriod,
    },
  ],
  arabic: [1, { locale: 'ar', currency: 'aed', buyer: { ...buyer, name: 'شركة النور للتجارة 24' }, servicePeriod }],
  hebrew: [1, { locale: 'he', currency: 'ils', buyer: { ...buyer, name: 'חברת האור' } }],
  'paid-by-transfer': [1, { currency: 'eur', paidAt: null, payment: null, transfer }],
  'paid-by-transfer-arabic': [1, { locale: 'ar', currency: 'eur', paidAt: null, payment: null, transfer }],
  letter: [
    1,
    {
      locale: 'en-US',
      paper: 'letter',
      seller: { ...seller, logo: aLogo },
      buyer: { ...buyer, name: 'Ada Lovelace Analytical Engines, a company with a long name' },
    },
  ],
}

test.each(Object.entries(documents))('prints %s on the expected number of pages with every amount', async (name, [pages, changes]) => {
  const { pdf } = await printDocument(browser, { owner: 'test', document: aPrintedDocument(changes), log })
  await saveScreenshots(name, pdf)
  expect((await getDocumentProxy(pdf.slice())).numPages).toBe(pages)
  const { text } = await extractDrawing(pdf)
  for (const figures of ['1749', '174', '1574']) expect(text.replaceAll(/[.,'’]/g, '')).toContain(figures)
})
