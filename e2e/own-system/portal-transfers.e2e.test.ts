import { eventually } from '@quittance/testing/eventually'
import { callApi, startSystem, type StartedSystem } from '@quittance/testing/system'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchChromium, openVisit, press, readText, type Browser, type Page } from '../browser/chromium.ts'
import { waitForMailedLink } from '../mailed-codes.ts'
import { look } from '../pages/look.ts'
import { openShop, type PlacedOrder } from '../pages/shop.ts'

let system: StartedSystem
let browser: Browser
beforeAll(async () => {
  ;[system, browser] = await Promise.all([startSystem({ env: { PAYMENT_PROVIDERS: 'bank_transfer' } }), launchChromium()])
  const bank = { beneficiary: 'Harbour Books Ltd', iban: 'DE89370400440532013000', bic: 'COBADEFFXXX', currency: 'eur' }
  const organization_id = system.demo.organization.id
  await createAsPerson('/v1/payment-accounts/', { provider: 'bank_transfer', mode: 'test', organization_id, bank })
})
afterAll(() => Promise.all([browser.close(), system[Symbol.asyncDispose]()]))

/** Creates something with the token of a person. */
async function createAsPerson(path: string, body: object): Promise<void> {
  const token = system.demo.personal_access_token
  const reply = await callApi(`${system.readReadyFile().base_url}${path}`, { method: 'POST', token, body })
  if (reply.status !== 201) throw new Error(`${path}: ${reply.status} ${JSON.stringify(reply.body)}`)
}

/** Returns the payment of an order that waits for a transfer. */
const waitForRequest = (orderId: string) =>
  eventually(async () => {
    const [payment] = (await system.api('GET', `/v1/payments/?order_id=${orderId}&status=pending`)).body.items
    expect(payment).toMatchObject({ pending_reason: 'waiting_for_transfer' })
    return payment as { id: string; amount: number }
  })

/** Sells a plan to a new customer, who has paid the first period by transfer and is asked for the second. */
async function sellAndRenew() {
  const shop = openShop(system)
  const price = { amount_type: 'fixed', price_amount: 2_000, price_currency: 'eur' }
  const plan = await shop.sell(price, { name: 'Reading plan', recurring_interval: 'month' })
  const email = `sender-${crypto.randomUUID()}@example.com`
  const customer = await shop.create('/v1/customers/', { email, name: 'Grace Hopper' })
  const checkout = await shop.checkout({ products: [plan.id], customer_id: customer.id })
  const confirmation = { payment_method_type: 'bank_transfer', customer_billing_address: { country: 'DE' } }
  expect((await system.api('POST', `/v1/checkouts/client/${checkout.client_secret}/confirm`, confirmation)).status).toBe(200)
  const [first] = (await shop.orders(checkout)) as [PlacedOrder]
  await pay(first.id)
  const { current_period_end: end } = (await system.api('GET', `/v1/subscriptions/${first.subscription_id}`)).body
  const to = new Date(Date.parse(end) + 5_000).toISOString()
  expect((await system.api('POST', '/v1/test-clock/advance', { to })).status).toBe(200)
  const renewal = await eventually(async () => {
    const { items } = (await system.api('GET', `/v1/orders/?customer_id=${customer.id}`)).body
    const pending = (items as PlacedOrder[]).find(({ status }) => status === 'pending')
    expect(pending).toBeDefined()
    return pending as PlacedOrder
  })
  await waitForRequest(renewal.id)
  const { customer_portal_url: url } = await shop.create<{ customer_portal_url: string }>('/v1/customer-sessions/', {
    customer_id: customer.id,
  })
  return { email, first, renewal, url }
}

/** Records the money of an order that waits for it. */
async function pay(orderId: string): Promise<void> {
  const { id, amount } = await waitForRequest(orderId)
  const receipt = { amount, booked_on: '2026-11-24', bank_reference: crypto.randomUUID() }
  await createAsPerson(`/v1/payments/${id}/receipts`, receipt)
  await eventually(async () => expect((await system.api('GET', `/v1/orders/${orderId}`)).body.status).toBe('paid'))
}

/** A page that states where to send the money, and offers no other way. */
async function expectInstructions(page: Page): Promise<string> {
  const text = await readText(page)
  expect(text).toMatch(/Send the money[^]*€20\.00[^]*DE89 3704 0044 0532 0130 00[^]*Harbour Books Ltd[^]*Reference[^]*Pay until/)
  expect(text).not.toMatch(/is charged on|was declined|Pay now|Test:/)
  expect(await page.$eval('svg.qr', (svg) => svg.getAttribute('aria-label'))).toMatch(/banking app/)
  return /RF\d\d[0-9A-Z]{12}/.exec(text)?.[0] ?? ''
}

test('the buyer of a renewal by transfer finds in mail and portal where to send the money, until it has arrived', async () => {
  const { email, first, renewal, url } = await sellAndRenew()
  const { base_url: baseUrl } = system.readReadyFile()
  await using visit = await openVisit(browser, { width: 390, language: 'en' })
  const { page, complaints } = visit
  await page.goto(url)
  const portal = page.url().replace(/\?.*/, '')
  await page.goto(`${portal}/subscriptions/${renewal.subscription_id}`)
  const reference = await expectInstructions(page)
  await look(page, 'transfer-subscription')
  await page.goto(`${portal}/orders/${renewal.id}/pay`)
  expect(page.url()).toContain(`${portal}/orders/${renewal.id}?`)
  expect(await expectInstructions(page)).toBe(reference)
  await look(page, 'transfer-order')
  for (const { id } of [first, renewal]) expect(await waitForMailedLink(baseUrl, email, new RegExp(`/orders/${id}$`))).toBeTruthy()
  await pay(renewal.id)
  for (const path of [`subscriptions/${renewal.subscription_id}`, `orders/${renewal.id}`]) {
    await page.goto(`${portal}/${path}`)
    expect(await readText(page)).not.toMatch(/Send the money|DE89|is charged on/)
  }
  await page.goto(`${portal}/subscriptions/${renewal.subscription_id}`)
  expect(await readText(page)).toMatch(/On \w+ \d+, \d{4} you receive a request to send €20\.00 by bank transfer\./)
  expect(complaints).toEqual([])
})

test('a customer gets the invoice of an order that waits for a transfer, and pays by it', async () => {
  const { renewal, url } = await sellAndRenew()
  await using visit = await openVisit(browser, { scripts: false, language: 'en' })
  const { page } = visit
  await page.goto(url)
  await page.goto(`${page.url().replace(/\?.*/, '')}/orders/${renewal.id}`)
  expect(await readText(page)).not.toContain('once the order is paid')
  for (const [field, value] of Object.entries({ line1: '1 Row', city: 'Berlin', postal_code: '10115' })) {
    await page.type(`[name="billing_address.${field}"]`, value)
  }
  await press(page, 'button[value=invoice]')
  expect(page.url()).toContain('making=1')
  await eventually(async () => {
    await page.reload()
    expect(await readText(page)).toContain('Download the invoice')
  })
  await expectInstructions(page)
  await pay(renewal.id)
})
