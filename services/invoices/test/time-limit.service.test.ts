import type { Page } from 'puppeteer'
import { createLogger } from '@quittance/runtime/log'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBrowser } from '../src/rendering/browser.ts'
import { printDocument } from '../src/rendering/print-document.ts'
import { RenderingTimedOut } from '../src/rendering/render-pdf.ts'
import { withTimeLimit } from '../src/rendering/time-limit.ts'
import { aPrintedDocument } from './printed-documents.ts'
import { pagesOf } from './read-pdf.ts'

const log = createLogger('invoices', 'silent')
const browser = createBrowser(() => ({ path: process.env['PUPPETEER_EXECUTABLE_PATH'], sandbox: 'on' }))
beforeAll(() => browser.open())
afterAll(() => browser.close())

/** Takes seconds to lay out and to print. */
const endless = `<table>${'<tr><td>A line<td>1<td>$1.00</tr>'.repeat(60_000)}</table>`

async function printEndless(page: Page): Promise<Uint8Array> {
  await page.setContent(endless)
  return page.pdf({ tagged: true })
}

test('a document that is not ready in time is given up and its page killed, and the next is printed (checklist 98)', async () => {
  const pages: Page[] = []
  const limit = { ms: 300, error: () => new RenderingTimedOut('Rendering took too long') }
  const overdue = browser.withPage((page) => {
    pages.push(page)
    return withTimeLimit(printEndless(page), limit)
  })
  await expect(overdue).rejects.toThrow(RenderingTimedOut)
  const gone = pages.map((page) => page.isClosed() || !page.browser().connected)
  expect(gone).toEqual([true])
  const [text] = await pagesOf(await printDocument(browser, { document: aPrintedDocument(), log }))
  expect(text).toContain('NORTHWIND-0042')
})
