import { verificationPath } from '@quittance/contracts/invoice-verification'
import { eventually } from '@quittance/testing/eventually'
import type { RunningSystem } from '@quittance/testing/system'
import { useSharedSystem } from '@quittance/testing/use-shared-system'
import { extractLinks, getDocumentProxy } from 'unpdf'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buyer, sell, waitUntilPaid } from '../sale.ts'
import { findOverflow, findViolations, launchChromium, openVisit, readText, screenshot, type Browser } from '../browser/chromium.ts'

let system: RunningSystem
let browser: Browser
let baseUrl: string
beforeAll(async () => {
  ;[system, browser] = await Promise.all([useSharedSystem(), launchChromium()])
  baseUrl = system.readReadyFile().base_url
})
afterAll(() => browser.close())

/** Issues an invoice; returns its number, the address printed on it, and the name of its seller. */
async function issueInvoice(): Promise<{ number: string; printed: string; seller: string }> {
  const id = await sell(system)
  await waitUntilPaid(system, id)
  await system.api('PATCH', `/v1/orders/${id}`, buyer)
  expect(await system.api('POST', `/v1/orders/${id}/invoice`)).toMatchObject({ status: 202 })
  const { url } = await eventually(async () => {
    const { status, body } = await system.api('GET', `/v1/orders/${id}/invoice`)
    if (status !== 200) throw new Error(JSON.stringify(body))
    return body
  })
  const { links } = await extractLinks(await getDocumentProxy(await (await fetch(url)).bytes()))
  const printed = links.find((link) => link.includes('/verify/')) ?? ''
  const { items } = (await system.api('GET', `/v1/invoices/?order_id=${id}`)).body
  const verification = (await (await fetch(printed)).json()) as { seller_name: string }
  return { number: items[0].invoice_number, printed, seller: verification.seller_name }
}

test('the address on an invoice is a page for people and JSON for programs', async () => {
  const { number, printed, seller } = await issueInvoice()
  expect(printed.length).toBeLessThan(baseUrl.length + 50)
  await using visit = await openVisit(browser)
  const { page, complaints } = visit
  await page.goto(`${printed}?locale=en`)
  const text = await readText(page)
  for (const part of ['This document is genuine', number, '$49.00', seller]) expect(text).toContain(part)
  await screenshot(page, 'verification')
  expect(await findViolations(page)).toEqual([])
  expect(await findOverflow(page)).toBe(0)
  expect(complaints).toEqual([])

  const reply = await fetch(printed)
  expect(await reply.json()).toMatchObject({ valid: true, kind: 'invoice', invoice_number: number, total_amount: 4900 })
  expect(reply.headers.get('vary')).toContain('Accept')
})

test('an address that no document has shows that none was issued, and no data of another', async () => {
  const { number, seller } = await issueInvoice()
  const forged = `${baseUrl}${verificationPath({ number, id: crypto.randomUUID() })}`
  expect(await (await fetch(forged)).json()).toMatchObject({ valid: false, invoice_number: null, seller_name: null, total_amount: null })
  const withSlash = `${baseUrl}${verificationPath({ number: 'SHOP/2026-0001', id: crypto.randomUUID() })}`
  expect(await (await fetch(withSlash)).json()).toMatchObject({ valid: false })
  const page = await fetch(forged, { headers: { accept: 'text/html' } })
  expect(page.status).toBe(404)
  const text = await page.text()
  expect(text).toContain('No such document was issued here')
  expect(text).not.toContain(seller)
})

test('an address that is too short or not readable is not found', async () => {
  for (const path of ['/verify/HARBOUR-0001/short', '/verify/HARBOUR-0001', `/verify/${'x'.repeat(41)}/AAAAAAAAAAAAAAAAAAAAAA`]) {
    const { status } = await fetch(`${baseUrl}${path}`, { headers: { accept: 'text/html' } })
    expect({ path, status: status >= 400 && status < 500 }).toEqual({ path, status: true })
  }
})
