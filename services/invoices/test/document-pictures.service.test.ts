import { deflateSync, crc32 } from 'node:zlib'
import { createLogger } from '@quittance/runtime/log'
import { getDocumentProxy } from 'unpdf'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBrowser } from '../src/rendering/browser.ts'
import { printDocument } from '../src/rendering/print-document.ts'
import type { PrintedDocument } from '../src/rendering/printed-document.ts'
import { keepPictures } from './keep-pictures.ts'
import { aPrintedDocument, aPrintedLine } from './printed-documents.ts'
import { drawingOf } from './read-pdf.ts'

const log = createLogger('invoices', 'silent')
const browser = createBrowser(() => ({ path: process.env['PUPPETEER_EXECUTABLE_PATH'], sandbox: 'on' }))
beforeAll(() => browser.open())
afterAll(() => browser.close())

const { seller, buyer, taxes, issuedAt } = aPrintedDocument()
const servicePeriod = { start: new Date('2026-11-18T10:00:00Z'), end: new Date('2026-12-18T10:00:00Z') }
const reversed = { taxes: taxes.map((tax) => ({ ...tax, reverse_charge: true, amount: 0 })), tax: 0, total: 157_410 }

const documents: Record<string, [pages: number, changes: Partial<PrintedDocument>]> = {
  'invoice-with-logo': [1, { seller: { ...seller, logo: aLogo() }, servicePeriod }],
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
  letter: [
    1,
    {
      locale: 'en-US',
      paper: 'letter',
      seller: { ...seller, logo: aLogo() },
      buyer: { ...buyer, name: 'Ada Lovelace Analytical Engines, a company with a long name' },
    },
  ],
}

test.each(Object.entries(documents))('%s is on as many pages as it should be, every amount of it drawn', async (name, [pages, changes]) => {
  const pdf = await printDocument(browser, { document: aPrintedDocument(changes), log })
  await keepPictures(name, pdf)
  expect((await getDocumentProxy(pdf.slice())).numPages).toBe(pages)
  const { text } = await drawingOf(pdf)
  for (const figures of ['1749', '174', '1574']) expect(text.replaceAll(/[.,'’]/g, '')).toContain(figures)
})

/** A blue square. */
function aLogo(): string {
  const [width, height] = [160, 60]
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(width * 3, Buffer.from([38, 70, 220]))])
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data])
    const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    check.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, check])
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const pixels = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)))
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const file = Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))])
  return `data:image/png;base64,${file.toString('base64')}`
}
