import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { freePorts } from '@quittance/testing/engines/free-ports'
import { eventually } from '@quittance/testing/eventually'
import { callApi, startSystem, type StartedSystem } from '@quittance/testing/system'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readQrCodes } from '../read-qr-codes.ts'
import { findOverflow, findViolations, launchChromium, openVisit, press, readText, screenshot, type Browser } from '../browser/chromium.ts'
import { countryField, openShop, orderButton } from '../pages/shop.ts'

/** A host without TLS that is not this machine to a browser, as in an own network: browsers trust such a page less, and state less. */
const localHost = 'shop.test'

let system: StartedSystem
let browser: Browser
beforeAll(async () => {
  const [port] = await freePorts(1)
  const env = { PAYMENT_PROVIDERS: 'bank_transfer', LOG_LEVEL: 'debug', PAGES_URL: `http://${localHost}:${port}` }
  ;[system, browser] = await Promise.all([startSystem({ env, ...(port && { port }) }), launchChromium({ localHost })])
})
afterAll(() => Promise.all([browser.close(), system[Symbol.asyncDispose]()]))

test('a transfer shows IBAN, sum and reference after the order, which is pending [pages 47]', async () => {
  const { base_url: baseUrl } = system.readReadyFile()
  const connected = await fetch(`${baseUrl}/v1/payment-accounts/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${system.demo.personal_access_token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      provider: 'bank_transfer',
      mode: 'live',
      organization_id: system.demo.organization.id,
      bank: { beneficiary: 'Harbour Books Ltd', iban: 'DE89370400440532013000', bic: 'COBADEFFXXX', currency: 'eur' },
    }),
  })
  expect(connected.status).toBe(201)
  const shop = openShop(system)
  const product = await shop.sell({ amount_type: 'fixed', price_amount: 4200, price_currency: 'eur' }, { name: 'Almanac' })
  for (const scripts of [true, false]) {
    const checkout = await shop.checkout({ products: [product.id] })
    await using visit = await openVisit(browser, { scripts, width: scripts ? 390 : 1280, language: 'en' })
    const { page, complaints } = visit
    await page.goto(checkout.url)
    await page.type('[name=customer_email]', `transfer-${crypto.randomUUID()}@example.com`)
    await page.type('[name=customer_name]', 'Grace Hopper')
    await page.select(countryField, 'GB')
    await page.click('[name=confirmation_token_id][value=bank_transfer]')
    await screenshot(page, `transfer-form-${scripts}`)
    expect(await findViolations(page)).toEqual([])
    await press(page, orderButton)
    const text = await readText(page)
    expect(text).toMatch(/Send the money[^]*€42\.00[^]*DE89 3704 0044 0532 0130 00[^]*Harbour Books Ltd/)
    const { body } = await system.api('GET', `/v1/checkouts/client/${checkout.client_secret}`)
    expect(body.payment_processor_metadata.reference).toBeTruthy()
    expect(text).toContain(body.payment_processor_metadata.reference)
    expect(body.payment_processor_metadata.epc).toMatch(
      /^BCD\n002\n1\nSCT\nCOBADEFFXXX\nHarbour Books Ltd\nDE89370400440532013000\nEUR42\.00\n/,
    )
    expect(await page.$eval('svg.qr', (svg) => svg.getAttribute('aria-label'))).toMatch(/banking app/)
    expect(await shop.orders(checkout)).toMatchObject([{ status: 'pending', total_amount: 4200 }])
    await screenshot(page, `transfer-${scripts}`)
    expect([await findViolations(page), await findOverflow(page)]).toEqual([[], 0])
    await page.reload()
    expect(await readText(page)).toContain('DE89 3704')
    expect(complaints).toEqual([])
  }
})

test('the code on the invoice of a transfer names account, amount and reference; paid, no byte changes [payments 65]', async () => {
  const { api } = system
  const { items } = (await api('GET', '/v1/orders/?sorting=-created_at&limit=1')).body
  const [{ id, checkout_id: checkoutId }] = items
  await requestInvoice(id)
  const before = await download(id)
  const [{ id: paymentId }] = (await api('GET', `/v1/payments/?checkout_id=${checkoutId}`)).body.items
  const [code, verification] = await readQrCodes(before)
  expect(code?.split('\n')).toEqual([
    'BCD',
    '002',
    '1',
    'SCT',
    'COBADEFFXXX',
    'Harbour Books Ltd',
    'DE89370400440532013000',
    'EUR42.00',
    '',
    expect.stringMatching(/^RF\d\d[0-9A-Z]{12}$/),
  ])
  expect(verification).toContain('/verify/')
  const receipt = { amount: 4200, booked_on: '2026-11-24', bank_reference: crypto.randomUUID() }
  const token = system.demo.personal_access_token
  const url = `${system.readReadyFile().base_url}/v1/payments/${paymentId}/receipts`
  expect((await callApi(url, { method: 'POST', token, body: receipt })).status).toBe(201)
  await eventually(async () => expect((await api('GET', `/v1/orders/${id}`)).body.status).toBe('paid'))
  expect(Buffer.from(await download(id)).equals(before)).toBe(true)
})

test('a voided order gets a credit note over its invoice; its buyer gets it by mail, and sees in the portal that it was cancelled', async () => {
  const { api } = system
  const { items } = (await api('GET', '/v1/orders/?sorting=-created_at&limit=2')).body
  const { id, customer_id } = items.find(({ status }: { status: string }) => status === 'pending')
  expect(await api('POST', `/v1/orders/${id}/void`)).toMatchObject({ status: 409, body: { error: 'Conflict' } })
  await requestInvoice(id)
  await download(id)
  await eventually(async () => expect((await api('GET', `/v1/orders/${id}`)).body.is_invoice_generated).toBe(true))
  const session = (await api('POST', '/v1/customer-sessions/', { customer_id })).body
  await using visit = await openVisit(browser, { width: 390, language: 'en' })
  const { page, complaints } = visit
  await page.goto(session.customer_portal_url)
  await Promise.all([page.waitForNavigation(), page.click(`a[href*="/orders/${id}"]`)])
  expect(await readText(page)).toMatch(/Pending[^]*1 Row[^]*Download the invoice/)
  const voided = await api('POST', `/v1/orders/${id}/void`)
  expect(voided).toMatchObject({ status: 200, body: { status: 'pending', voided_at: expect.any(String) } })
  await eventually(async () => {
    const creditNotes = (await api('GET', `/v1/credit-notes/?order_id=${id}`)).body.items
    expect(creditNotes).toMatchObject([{ status: 'generated', total_amount: 4200, refund_id: null }])
    const mailbox = await fetch(`${system.readReadyFile().base_url}/mailbox`)
    expect(await mailbox.text()).toContain(`Credit note ${creditNotes[0].invoice_number} from Harbour Books`)
  })
  await page.reload()
  await screenshot(page, 'voided-order')
  expect(await readText(page)).toMatch(/Cancelled[^]*Download the invoice[^]*Credit note/)
  expect([await findViolations(page), await findOverflow(page)]).toEqual([[], 0])
  expect(complaints).toEqual([])
})

test('a trial that the seller of transfers cannot charge is offered without the trial, before anything is ordered [pages 47]', async () => {
  const shop = openShop(system)
  const price = { amount_type: 'fixed', price_amount: 1000, price_currency: 'eur' }
  const trial = { trial_interval: 'month', trial_interval_count: 1 }
  const product = await shop.sell(price, { name: 'Reading room', recurring_interval: 'month', ...trial })
  const checkout = await shop.checkout({ products: [product.id] })
  await using visit = await openVisit(browser, { scripts: false, language: 'en' })
  const { page } = visit
  await page.goto(checkout.url)
  await page.type('[name=customer_email]', 'transfer-trial@example.com')
  await page.type('[name=customer_name]', 'Grace Hopper')
  await page.select(countryField, 'GB')
  await press(page, orderButton)
  expect(await readText(page)).toContain('The total is now €10.00')
  expect(await shop.orders(checkout)).toEqual([])
  await press(page, orderButton)
  expect(await readText(page)).toMatch(/Send the money[^]*€10\.00/)
})

/** Completes the billing details of an order and requests its invoice. */
async function requestInvoice(orderId: string): Promise<void> {
  const billing = {
    billing_name: 'Grace Hopper',
    billing_address: { line1: '1 Row', city: 'London', postal_code: 'E1 6AN', country: 'GB' },
  }
  expect((await system.api('PATCH', `/v1/orders/${orderId}`, billing)).status).toBe(200)
  expect((await system.api('POST', `/v1/orders/${orderId}/invoice`)).status).toBe(202)
}

/** Waits for the invoice of an order and downloads it. */
async function download(orderId: string): Promise<Uint8Array> {
  const url = await eventually(async () => {
    const { status, body } = await system.api('GET', `/v1/orders/${orderId}/invoice`)
    expect(status).toBe(200)
    return body.url as string
  })
  return new Uint8Array(await (await fetch(url)).arrayBuffer())
}

test('one trace id is in the lines of gateway, storefront and orders about a page [pages 10]', async () => {
  const traceId = crypto.randomUUID().replaceAll('-', '')
  const checkout = await openShop(system).checkout()
  await using visit = await openVisit(browser)
  await visit.page.setExtraHTTPHeaders({ traceparent: `00-${traceId}-00f067aa0ba902b7-01` })
  expect((await visit.page.goto(checkout.url))?.status()).toBe(200)
  const logs = join(dirname(system.readyFile), 'data', 'logs')
  await eventually(() => {
    const files = readdirSync(logs).filter((file) => readFileSync(join(logs, file), 'utf8').includes(traceId))
    const services = new Set(files.map((file) => /^[a-z]+/.exec(file)?.[0]))
    expect(services).toEqual(new Set(['gateway', 'orders', 'storefront']))
  })
})
