import { access, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogger } from '@quittance/runtime/log'
import { extractText, getDocumentProxy } from 'unpdf'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBrowser, type SharedBrowser } from '../src/rendering/browser.ts'
import { invoiceHtml, type PrintedInvoice } from '../src/rendering/invoice-template.ts'
import { renderPdf } from '../src/rendering/render-pdf.ts'
import { anInvoiceSource } from './invoice-source.ts'

const log = createLogger('invoices', 'silent')
const browser = createBrowser(() => ({ path: process.env['PUPPETEER_EXECUTABLE_PATH'], sandbox: 'on' }))
beforeAll(() => browser.open())
afterAll(() => browser.close())

function print(source: PrintedInvoice['source']): Promise<Uint8Array> {
  return renderPdf(browser, { html: invoiceHtml({ number: 'NORTHWIND-0042', issuedAt: new Date('2026-11-20T12:00:00Z'), source }), log })
}

async function pagesOf(pdf: Uint8Array): Promise<string[]> {
  const { text } = await extractText(await getDocumentProxy(pdf.slice()))
  return text.map((page) => page.normalize('NFKC').replaceAll(/\s+/g, ' '))
}

test('the text of the document holds number, parties, lines and totals', async () => {
  const [text] = await pagesOf(await print(anInvoiceSource()))
  for (const part of [
    'NORTHWIND-0042',
    'November 20, 2026',
    'Northwind Analytics',
    'Bill to',
    'Zofia Łukasiewicz',
    '00-514 Warszawa',
    'PL5260001246',
  ]) {
    expect(text).toContain(part)
  }
  for (const part of [
    'Analytics Pro, yearly 1 $1,299.00 $1,299.00',
    'Subtotal $1,749.00',
    'Discount -$174.90',
    'Tax $362.04',
    'Total $1,936.14',
  ]) {
    expect(text).toContain(part)
  }
  expect(text).toContain('Paid on November 18, 2026')
  expect(text).toContain('Page 1 of 1')
})

test('names in other scripts and hostile names come back letter by letter', async () => {
  const names = [
    '<script>alert(1)</script>',
    '{{7*7}} ${7*7}',
    'Київська Філія',
    'Αθήνα ΑΕ',
    'Nguyễn Thị Hồng',
    '</td></tr></table>',
    'W'.repeat(250),
  ]
  const items = names.map((label) => ({ label, amount: 100, discount_amount: 0, tax_amount: 0, proration: false }))
  const text = (await pagesOf(await print({ ...anInvoiceSource(), items }))).join(' ').replaceAll(' ', '')
  for (const name of names) expect(text).toContain(name.normalize('NFKC').replaceAll(' ', ''))
})

test('a long invoice repeats its headings, counts its pages and keeps its sums together', async () => {
  const items = Array.from({ length: 300 }, (_, index) => ({
    label: `Line ${index + 1}.`,
    amount: 100,
    discount_amount: 0,
    tax_amount: 0,
    proration: false,
  }))
  const pages = await pagesOf(await print({ ...anInvoiceSource(), items }))
  pages.forEach((page, index) => {
    expect(page).toContain('Description Quantity Unit price Amount')
    expect(page).toContain(`Page ${index + 1} of ${pages.length}`)
    expect(page).toContain('NORTHWIND-0042')
  })
  const all = pages.join(' ')
  for (const { label } of items) expect(all.split(label)).toHaveLength(2)
  for (const part of ['Line 300.', 'Subtotal', 'Discount', 'Tax $', 'Total $', 'Paid on']) expect(pages.at(-1)).toContain(part)
})

test('the document is tagged, titled, in one language, and carries its own fonts', async () => {
  const bytes = await print(anInvoiceSource())
  const pdf = await getDocumentProxy(bytes.slice())
  expect((await pdf.getMetadata()).info).toMatchObject({ Title: 'Invoice NORTHWIND-0042', Language: 'en' })
  expect(await pdf.getMarkInfo()).toMatchObject({ Marked: true })
  const tags = JSON.stringify(await (await pdf.getPage(1)).getStructTree())
  expect(tags.match(/"role":"H1"/g)).toHaveLength(1)
  expect(tags).toMatch(/"role":"Table".*"role":"TH"/)
  const fonts = [
    ...Buffer.from(bytes)
      .toString('latin1')
      .matchAll(/\/BaseFont\s*\/([\w+-]+)/g),
  ].map(([, name]) => name)
  expect(fonts.length).toBeGreaterThan(0)
  for (const font of fonts) expect(font).toMatch(/^[A-Z]{6}\+Inter-/)
})

test('a page reaches no network, reads no file and runs no script', async () => {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
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
  const text = (await pagesOf(await renderPdf(browser, { html, log }))).join(' ')
  const moving = `<meta http-equiv=refresh content="0;url=${origin}/g"><p>Stays</p>`
  await renderPdf(browser, { html: moving, log }).catch(() => {})
  await renderPdf(browser, { html: moving.replace(`${origin}/g`, file), log }).catch(() => {})
  server.close()
  await rm(folder, { recursive: true })
  expect(asked).toEqual([])
  expect(text).toContain('Body')
  expect(text).not.toMatch(/SCRIPT RAN|FILE WAS READ|reached/)
})

test('a browser that is killed in the middle fails that document at once and the next one is printed', async () => {
  const before = await browserGroup(browser)
  const interrupted = browser.withPage(async (page) => {
    process.kill(-before, 'SIGKILL')
    return page.pdf()
  })
  await expect(interrupted).rejects.toThrow()
  expect((await pagesOf(await print(anInvoiceSource())))[0]).toContain('NORTHWIND-0042')
  expect(await browserGroup(browser)).not.toBe(before)
})

test('a closed browser leaves no process and no file', async () => {
  const own = createBrowser(() => ({ path: process.env['PUPPETEER_EXECUTABLE_PATH'], sandbox: 'on' }))
  await own.open()
  const group = await browserGroup(own)
  const profile = await own.withPage(
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
  return of.withPage(async (page) => page.browser().process()?.pid as number)
}

/** True also of an ended process that its parent, or init, has not collected yet. */
function isAlive(group: number): boolean {
  try {
    return process.kill(group, 0)
  } catch {
    return false
  }
}
