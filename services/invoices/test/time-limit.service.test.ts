import type { Page } from 'puppeteer'
import { createLogger } from '@quittance/runtime/logger'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBrowser } from '../src/rendering/browser.ts'
import { printDocument } from '../src/rendering/print-document.ts'
import { RenderTimeout } from '../src/rendering/render-pdf.ts'
import { withTimeLimit } from '../src/threads/time-limit.ts'
import { aPrintedDocument } from './printed-documents.ts'
import { extractPages } from './read-pdf.ts'

const log = createLogger('invoices', 'silent')
const browser = createBrowser(() => ({ path: process.env['PUPPETEER_EXECUTABLE_PATH'], sandbox: 'on' }))
beforeAll(() => browser.open())
afterAll(() => browser.close())

/** Takes seconds to lay out and print. */
const endless = `<table>${'<tr><td>A line<td>1<td>$1.00</tr>'.repeat(60_000)}</table>`

async function printEndless(page: Page): Promise<Uint8Array> {
  await page.setContent(endless)
  return page.pdf({ tagged: true })
}

test('discards the page of a document that exceeds the timeout, and prints the next [98]', async () => {
  const pages: Page[] = []
  const limit = { ms: 300, error: () => new RenderTimeout('Rendering took too long') }
  const overdue = browser.withPage('test', (page) => {
    pages.push(page)
    return withTimeLimit(printEndless(page), limit)
  })
  await expect(overdue).rejects.toThrow(RenderTimeout)
  const gone = pages.map((page) => page.isClosed() || !page.browser().connected)
  expect(gone).toEqual([true])
  const [text] = await extractPages((await printDocument(browser, { owner: 'test', document: aPrintedDocument(), log })).pdf)
  expect(text).toContain('NORTHWIND-0042')
})
