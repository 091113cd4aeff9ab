import { existsSync } from 'node:fs'
import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogger, type Logger } from '@quittance/runtime/logger'
import { getDocumentProxy } from 'unpdf'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBrowser, type SharedBrowser } from '../src/rendering/browser.ts'
import { launchBrowser } from '../src/rendering/launch-browser.ts'
import { printDocument } from '../src/rendering/print-document.ts'
import type { DocumentModel } from '../src/rendering/document-model.ts'
import { renderPdf } from '../src/rendering/render-pdf.ts'
import { aPrintedDocument, aPrintedLine } from './printed-documents.ts'
import { extractDrawing, extractPages } from './read-pdf.ts'

const log = createLogger('invoices', 'silent')
const browser = createBrowser(() => ({ path: process.env['PUPPETEER_EXECUTABLE_PATH'], sandbox: 'on' }))
beforeAll(() => browser.open())
afterAll(() => browser.close())

async function print(changes: Partial<DocumentModel> = {}): Promise<Uint8Array> {
  const { pdf } = await printDocument(browser, { owner: 'test', document: aPrintedDocument(changes), log })
  return pdf
}

const extractLetters = (text: string) => Array.from(text.normalize('NFKC')).filter((letter) => /[\p{L}\p{N}]/u.test(letter))
const withoutSpaces = (text: string) => text.normalize('NFKC').replaceAll(/\s/g, '')

function manyLines(count: number): DocumentModel['lines'] {
  return Array.from({ length: count }, (_, index) => aPrintedLine({ label: `Line ${index + 1}.` }))
}

test('contains number, parties, lines, sums and verification URL in the document text [36, 70]', async () => {
  const [text] = await extractPages(await print())
  for (const part of [
    'NORTHWIND-0042',
    'November 20, 2026',
    'Northwind Analytics GmbH',
    'Bill to',
    'Zofia Łukasiewicz',
    '00-514 Warszawa',
    'PL5260001246',
    'Analytics Pro, yearly 1 $1,299.00 $1,299.00',
    'Subtotal $1,749.00',
    'Discount -$174.90',
    'VAT 23% on $1,574.10 $362.04',
    'Total $1,936.14',
    'Paid on November 18, 2026',
    'billing.example.com/verify/NORTHWIND-0042/qrvM3e7_ABEiM0RVZneImQ',
    'Page 1 of 1',
  ]) {
    expect(text).toContain(part)
  }
})

const scripts = {
  Japanese: '株式会社サクラ商事 ひらがな',
  'Simplified Chinese': '北京云计算有限公司',
  'Traditional Chinese': '臺灣雲端運算股份有限公司',
  Korean: '주식회사 한국소프트웨어',
  Thai: 'บริษัท สวัสดี จำกัด',
  Devanagari: 'नमस्ते प्राइवेट लिमिटेड',
  Cyrillic: 'Київська Філія Ґ',
  Greek: 'Αθήνα ΑΕ Ώ',
  Vietnamese: 'Nguyễn Thị Hồng Đặng',
  Polish: 'Łukasiewicz Żółć',
}

test.each(Object.entries(scripts))('prints a %s name with every character, in embedded fonts only [80, 83, 84]', async (_, name) => {
  const pdf = await print({ buyer: { ...aPrintedDocument().buyer, name }, lines: [aPrintedLine({ label: name })] })
  const { text } = await extractDrawing(pdf)
  expect(text.split(withoutSpaces(name))).toHaveLength(3)
  await expectOwnFonts(pdf)
})

test.each([
  ['ar', 'شركة النور للتجارة 2024'],
  ['he', 'חברת האור בע"מ 2024'],
  ['en', 'مؤسسة Northwind للتحليل'],
  ['de', 'שלום וברכה'],
])('prints in a %s document all characters of %s, in either direction [81, 82]', async (locale, name) => {
  const pdf = await print({ locale, buyer: { ...aPrintedDocument().buyer, name } })
  const found = extractLetters((await extractDrawing(pdf)).text)
  for (const letter of new Set(extractLetters(name))) {
    expect(found.filter((one) => one === letter).length).toBeGreaterThanOrEqual(extractLetters(name).filter((one) => one === letter).length)
  }
  await expectOwnFonts(pdf)
})

test.each(['ar', 'ar-EG', 'de-CH', 'es', 'fr', 'he', 'it', 'ja', 'ko', 'nl', 'pt-BR', 'zh-CN', 'zh-TW'])(
  'prints a document in %s without fonts of the system [76, 84]',
  async (locale) => {
    const pdf = await print({ locale, servicePeriod: { start: new Date('2026-11-18'), end: new Date('2026-12-18') } })
    await expectOwnFonts(pdf)
    expect((await (await getDocumentProxy(pdf.slice())).getMetadata()).info).toMatchObject({ Language: locale })
  },
)

async function expectOwnFonts(pdf: Uint8Array): Promise<void> {
  const fonts = [...(await extractDrawing(pdf)).fonts]
  expect(fonts.length).toBeGreaterThan(0)
  for (const { name, isEmbedded, glyphs } of fonts) {
    expect(name).toMatch(/^[A-Z]{6}\+(?:Inter|NotoSans)/)
    expect(isEmbedded).toBe(true)
    expect(glyphs).not.toContain(0)
  }
}

test('prints hostile names literally and fetches nothing from them [96]', async () => {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(request.url ?? '')
    response.end('reached')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const names = [
    '<script>alert(1)</script>',
    `<img src=${origin}/a>`,
    '<iframe src=file:///etc/passwd>',
    `<style>@import "${origin}/b"</style>`,
    '{{7*7}} ${7*7}',
    '</td></tr></table>',
  ]
  const { seller, buyer } = aPrintedDocument()
  for (const name of names) {
    const address = { ...buyer.address, line1: name, city: name }
    const pdf = await print({
      seller: { ...seller, name, address, taxId: name, footer: name, logo: `${origin}/logo.png` },
      buyer: { name, address, taxId: name, email: name },
      lines: [aPrintedLine({ label: name })],
    })
    const text = withoutSpaces((await extractPages(pdf)).join(''))
    expect(text.split(withoutSpaces(name)).length - 1).toBe(12)
    expect(text).toContain('Total$1,936.14')
  }
  server.close()
  expect(requests).toEqual([])
})

test('wraps long texts within their column without loss [31, 90]', async () => {
  const sentence = 'Analytics of everything that a company does, '.repeat(12).slice(0, 500)
  const word = 'Donaudampfschiff'.repeat(13).slice(0, 200)
  const name = 'W'.repeat(250)
  const pdf = await print({ lines: [sentence, word].map((label) => aPrintedLine({ label })), buyer: { ...aPrintedDocument().buyer, name } })
  const text = withoutSpaces((await extractPages(pdf)).join(''))
  for (const long of [sentence, word, name]) expect(text).toContain(withoutSpaces(long))
  const proxy = await getDocumentProxy(pdf.slice())
  const page = await proxy.getPage(1)
  const [, , width] = page.view as [number, number, number, number]
  for (const item of (await page.getTextContent()).items) {
    if (!('transform' in item) || item.str.trim() === '') continue
    expect(item.transform[4]).toBeGreaterThanOrEqual(50)
    expect(item.transform[4] + item.width).toBeLessThanOrEqual(width - 50)
    // The first column ends where the quantities start.
    if (word.includes(item.str) && item.str.length > 8) expect(item.transform[4] + item.width).toBeLessThan(width / 2)
  }
})

test('prints a credit with a minus sign [65]', async () => {
  const lines = [aPrintedLine({ label: 'Unused Basic', amount: -5_000, proration: true })]
  expect((await extractPages(await print({ lines })))[0]).toContain('1 -$50.00 -$50.00')
  expect((await extractPages(await print({ lines, locale: 'de', currency: 'eur' })))[0]).toContain('1 -50,00 € -50,00 €')
})

test('prints 1,000 lines with headings, page count and joined sums, small [36, 87, 89, 122]', async () => {
  const lines = manyLines(1000)
  const pdf = await print({ lines })
  const pages = await extractPages(pdf)
  pages.forEach((page, index) => {
    if (page.includes('Line ')) expect(page).toContain('Description Quantity Unit price Amount')
    expect(page).toContain(`Page ${index + 1} of ${pages.length}`)
    expect(page).toContain('NORTHWIND-0042')
  })
  const all = pages.join(' ')
  for (const { label } of lines) expect(all.split(`${label} 1 `)).toHaveLength(2)
  const withSums = pages.filter((page) => /Subtotal|Discount|Net amount|VAT 23%|Total \$|Amount due/.test(page))
  expect(withSums).toHaveLength(1)
  for (const part of ['Line 1000.', 'Subtotal', 'Discount', 'VAT 23%', 'Total $', 'Amount due']) expect(withSums[0]).toContain(part)
  expect(pages.length).toBeLessThanOrEqual(32)
  expect(pdf.length).toBeLessThanOrEqual(400_000)
})

test('prints a valid document with all of 5,000 lines [91]', async () => {
  const lines = manyLines(5000)
  const pdf = await print({ lines })
  const all = (await extractPages(pdf)).join(' ')
  expect(lines.filter(({ label }) => !all.includes(`${label} 1 `))).toEqual([])
})

test.each(Array.from({ length: 8 }, (_, index) => 14 + index))(
  'prints the sums below %i lines on one page, with a line above them [88]',
  async (count) => {
    const pages = await extractPages(await print({ lines: manyLines(count) }))
    const withSums = pages.filter((page) => /Subtotal|Discount|Net amount|VAT 23%|Total \$|Amount due/.test(page))
    expect(withSums).toHaveLength(1)
    for (const part of [`Line ${count}.`, 'Description Quantity', 'Subtotal', 'Amount due']) expect(withSums[0]).toContain(part)
  },
)

test('prints ten lines in less than 150 kB [122]', async () => {
  expect((await print({ lines: manyLines(10) })).length).toBeLessThan(150_000)
})

test('prints the selected paper size [93]', async () => {
  const readPageSize = async (pdf: Uint8Array) => (await (await getDocumentProxy(pdf.slice())).getPage(1)).view.map(Math.round)
  expect(await readPageSize(await print())).toEqual([0, 0, 595, 842])
  expect(await readPageSize(await print({ paper: 'letter' }))).toEqual([0, 0, 612, 792])
})

test('is tagged, in one language, with title and author and without the browser name [78, 94]', async () => {
  const pdf = await getDocumentProxy((await print()).slice())
  const { info } = await pdf.getMetadata()
  expect(info).toMatchObject({ Title: 'Invoice NORTHWIND-0042', Author: 'Northwind Analytics GmbH', Language: 'en' })
  expect(JSON.stringify(info)).not.toMatch(/Mozilla|Chrom|Skia/i)
  expect(await pdf.getViewerPreferences()).toMatchObject({ DisplayDocTitle: true })
  expect(await pdf.getMarkInfo()).toMatchObject({ Marked: true })
  const tags = JSON.stringify(await (await pdf.getPage(1)).getStructTree())
  expect(tags.match(/"role":"H1"/g)).toHaveLength(1)
  expect(tags).toMatch(/"role":"Table".*"role":"TH"/)
  expect(tags).toMatch(
    /"role":"Figure".*"alt":"QR code of the address beside it"|"alt":"QR code of the address beside it".*"role":"Figure"/,
  )
})

test('has a title for its kind and language', async () => {
  const readTitle = async (pdf: Uint8Array) => (await (await getDocumentProxy(pdf.slice())).getMetadata()).info as { Title: string }
  expect((await readTitle(await print({ kind: 'credit_note', locale: 'fr' }))).Title).toBe('Avoir NORTHWIND-0042')
})

test('accesses no network, reads no file and runs no script [97, 98]', async () => {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(request.url ?? '')
    response.end('reached')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const folder = await mkdtemp(join(tmpdir(), 'quittance-test-'))
  const file = `file://${join(folder, 'secret.txt')}`
  await writeFile(join(folder, 'secret.txt'), 'FILE WAS READ')
  const html = `<title>x</title><link rel=stylesheet href=${origin}/a><style>@import "${origin}/b"; p { background: url(${origin}/c) }</style>
    <img src=${origin}/d><img src=${file}><iframe src=${file}></iframe><iframe src=${origin}/e></iframe><object data=${file}></object><embed src=${file}>
    <link rel=preload as=image href=${origin}/f><link rel=dns-prefetch href=//example.com><p id=p>Body</p>
    <script>document.getElementById('p').textContent = 'SCRIPT RAN'</script><img src=x onerror="document.body.textContent = 'SCRIPT RAN'">`
  const logged: string[] = []
  const recordingLog = { ...log, warn: (fields: object) => void logged.push(JSON.stringify(fields)) } as unknown as Logger
  const text = (await extractPages(await renderPdf(browser, { owner: 'test', html, log: recordingLog }))).join(' ')
  const moving = `<meta http-equiv=refresh content="0;url=${origin}/g"><p>Stays</p>`
  await renderPdf(browser, { owner: 'test', html: moving, log }).catch(() => {})
  await renderPdf(browser, { owner: 'test', html: moving.replace(`${origin}/g`, file), log }).catch(() => {})
  server.close()
  await rm(folder, { recursive: true })
  expect(requests).toEqual([])
  expect(text).toContain('Body')
  expect(text).not.toMatch(/SCRIPT RAN|FILE WAS READ|reached/)
  for (const path of ['/a', '/b', '/c', '/d', '/f', '/']) expect(logged.join('\n')).toContain(`${origin}${path}`)
  expect(logged.join('\n')).toContain(file)
})

test('does not print a document whose font is unreadable or not a font of the packages', async () => {
  const pageWithFont = (path: string) => `<style>@font-face { font-family: F; src: url(${path}) } p { font-family: F }</style><p>Body</p>`
  expect(
    (await extractPages(await renderPdf(browser, { owner: 'test', html: pageWithFont('/fonts/inter/latin/400'), log }))).join(' '),
  ).toContain('Body')
  const logged: unknown[] = []
  const recordingLog = { ...log, error: (fields: object) => void logged.push(fields), warn() {} } as unknown as Logger
  for (const path of ['/fonts/inter/none/400', '/fonts/none/latin/700', '/inter/latin/400', 'file:///etc/hostname'])
    await expect(renderPdf(browser, { owner: 'test', html: pageWithFont(path), log: recordingLog })).rejects.toThrow(
      'A network error occurred',
    )
  expect(logged).toMatchObject([
    { family: 'inter', subset: 'none', weight: 400 },
    { family: 'none', subset: 'latin', weight: 700 },
  ])
  expect((await extractPages(await print()))[0]).toContain('NORTHWIND-0042')
})

test('fails the current document when the browser is killed, and prints the next', async () => {
  const before = await browserGroup(browser)
  const interrupted = browser.withPage('test', async (page) => {
    process.kill(-before, 'SIGKILL')
    return page.pdf()
  })
  await expect(interrupted).rejects.toThrow()
  expect((await extractPages(await print()))[0]).toContain('NORTHWIND-0042')
  expect(await browserGroup(browser)).not.toBe(before)
})

test.runIf(existsSync('/proc/self/autogroup'))('runs the browser at a lower priority than processes that serve requests', async () => {
  const { browser: launched, close } = await launchBrowser({ path: process.env['PUPPETEER_EXECUTABLE_PATH'], sandbox: 'on' })
  try {
    expect(await readFile(`/proc/${launched.process()?.pid}/autogroup`, 'utf8')).toMatch(/nice 5$/m)
  } finally {
    await close()
  }
})

test('reuses a page for the next document, but not after a long one that retains memory', async () => {
  const own = createBrowser(() => ({ path: process.env['PUPPETEER_EXECUTABLE_PATH'], sandbox: 'on' }))
  await own.open()
  const printedOn = async (lines: number) => {
    await printDocument(own, { owner: 'test', document: aPrintedDocument({ lines: manyLines(lines) }), log })
    const pages = await own.withPage('test', (page) => page.browser().pages())
    return pages.map((page) => page.url()).filter((url) => !url.startsWith('about:blank'))
  }
  expect(await printedOn(1)).toEqual(['http://invoice.invalid/'])
  expect(await printedOn(1000)).toEqual([])
  await own.close()
})

test('leaves no process and no file after the browser is closed [125]', async () => {
  const own = createBrowser(() => ({ path: process.env['PUPPETEER_EXECUTABLE_PATH'], sandbox: 'on' }))
  await own.open()
  const group = await browserGroup(own)
  const profile = await own.withPage(
    'test',
    async (page) =>
      page
        .browser()
        .process()
        ?.spawnargs.find((flag) => flag.startsWith('--user-data-dir='))
        ?.split('=')[1],
  )
  await access(profile as string)
  await own.close()
  await expect.poll(() => isAlive(-group), { timeout: 10_000 }).toBe(false)
  await expect(access(profile as string)).rejects.toThrow('ENOENT')
})

async function browserGroup(of: SharedBrowser): Promise<number> {
  return of.withPage('test', async (page) => page.browser().process()?.pid as number)
}

/** Also true for an ended process that its parent or init has not reaped yet. */
function isAlive(group: number): boolean {
  try {
    return process.kill(group, 0)
  } catch {
    return false
  }
}
