import { eventually } from '@quittance/testing/eventually'
import type { RunningSystem } from '@quittance/testing/system'
import { useSharedSystem } from '@quittance/testing/use-shared-system'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { launchChromium, openVisit, press, readText, type Browser, type Page } from '../browser/chromium.ts'
import { waitForMailedLink } from '../mailed-codes.ts'
import { look } from './look.ts'
import { sellToCustomer } from './portal-customers.ts'
import { openShop } from './shop.ts'

let system: RunningSystem
let browser: Browser
let small: { id: string }
let large: { id: string }
beforeAll(async () => {
  ;[system, browser] = await Promise.all([useSharedSystem(), launchChromium()])
  const offer = (name: string, amount: number) =>
    openShop(system).sell({ amount_type: 'fixed', price_amount: amount, price_currency: 'eur' }, { name, recurring_interval: 'month' })
  ;[small, large] = await Promise.all([offer('Small plan', 1_000), offer('Large plan', 3_000)])
})
afterAll(() => browser.close())

interface Settings {
  proration_behavior: 'invoice' | 'prorate'
  allow_customer_updates: boolean
}

/** Sets what the seller allows until the end of the test; the copy that the portal reads has arrived. */
async function allow(settings: Partial<Settings>): Promise<void> {
  const { slug, id } = system.demo.organization
  const set = async (wanted: Partial<Settings>) => {
    const { body } = await system.api('GET', `/v1/organizations/${id}`)
    const subscription_settings = { ...body.subscription_settings, ...wanted }
    expect((await system.api('PATCH', `/v1/organizations/${id}`, { subscription_settings })).status).toBe(200)
    await eventually(async () => {
      const copy = await system.api('GET', `/v1/customer-portal/organizations/${slug}`)
      expect(copy.body.organization.subscription_settings).toEqual(subscription_settings)
    })
    return body.subscription_settings as Settings
  }
  const before = await set(settings)
  onTestFinished(async () => void (await set(before)))
}

const readSubscription = async (id: string) => (await system.api('GET', `/v1/subscriptions/${id}`)).body
const listOrders = async ({ id }: { id: string }) => (await system.api('GET', `/v1/orders/?customer_id=${id}`)).body.items

/** Reads the sums that a page states, in minor units. */
const readSums = (text: string) => [...text.matchAll(/€(\d+)\.(\d\d)/g)].map(([, euros, cents]) => Number(`${euros}${cents}`))

async function openPlans(page: Page, { url, subscription }: { url: string; subscription: string }): Promise<string> {
  await page.goto(url)
  const address = `${page.url()}/subscriptions/${subscription}`
  await page.goto(address)
  await press(page, 'a[href*="/change"]')
  return address
}

const choose = async (page: Page, { id }: { id: string }) => {
  await page.click(`input[value="${id}"]`)
  await press(page, 'form[method=get] button.primary')
}

describe.each([
  ['with scripts', 390, true, 'light'],
  ['without scripts', 1280, false, 'dark'],
] as const)('%s, %i px wide', (...[, width, scripts, scheme]) => {
  test('a change that is billed now costs what its button states [pages 73] [pages 117]', async () => {
    await allow({ proration_behavior: 'invoice' })
    const { url, order, customer } = await sellToCustomer(system, small)
    await using visit = await openVisit(browser, { width, scripts, scheme })
    const { page, complaints } = visit
    const address = await openPlans(page, { url, subscription: order.subscription_id })
    await look(page, `plan-${width}-${scheme}-choice`)
    await choose(page, large)
    const button = await page.$eval('form[method=post][action$="/change"] button', (each) => each.textContent.trim())
    const [sum] = readSums(button)
    expect(button).toBe(`Change and pay €${(Number(sum) / 100).toFixed(2)}`)
    // Two thousand more a month, for what is left of the month.
    expect(sum).toBeGreaterThan(1_900)
    await look(page, `plan-${width}-${scheme}-preview`)
    expect(await listOrders(customer)).toHaveLength(1)
    await press(page, 'form[method=post][action$="/change"] button')
    expect(page.url()).toContain(`${address}?done=changed`)
    expect(await readText(page)).toMatch(/Large plan[^]*The plan is changed|The plan is changed[^]*Large plan/)
    await eventually(async () => {
      const [update] = (await listOrders(customer)) as { billing_reason: string; status: string; total_amount: number }[]
      expect(update).toMatchObject({ billing_reason: 'subscription_update', status: 'paid', total_amount: sum })
    })
    expect((await readSubscription(order.subscription_id)).product_id).toBe(large.id)
    await page.goBack()
    expect(complaints).toEqual([])
  })
})

test('a change for later is planned, shown, and taken back [pages 73]', async () => {
  const { url, order } = await sellToCustomer(system, large)
  await using visit = await openVisit(browser, { scripts: false })
  const { page } = visit
  const address = await openPlans(page, { url, subscription: order.subscription_id })
  await choose(page, small)
  await press(page, 'a[href*="when=later"]')
  expect(await readText(page)).toMatch(/Nothing is charged today\.[^]*Small plan[^]*Total\s+€10\.00/)
  await press(page, 'form[method=post][action$="/change"] button')
  const text = await readText(page)
  expect(text).toMatch(/It changes to Small plan on/)
  expect(text).not.toMatch(/is changed|is charged/)
  await look(page, 'plan-planned')
  expect(await readSubscription(order.subscription_id)).toMatchObject({ product_id: large.id, pending_product_id: small.id })
  await press(page, 'button[value=keep]')
  expect(page.url()).toContain(`${address}?done=kept`)
  expect((await readSubscription(order.subscription_id)).pending_product_id).toBeNull()
})

test('a price that changed since the preview is shown again, and nothing is charged [pages 73]', async () => {
  await allow({ proration_behavior: 'invoice' })
  const shop = openShop(system)
  const price = (amount: number) => ({ amount_type: 'fixed', price_amount: amount, price_currency: 'eur' })
  const product = await shop.sell(price(5_000), { name: 'Growing plan', recurring_interval: 'month' })
  const { url, order, customer } = await sellToCustomer(system, small)
  await using visit = await openVisit(browser, { scripts: false })
  const { page } = visit
  await openPlans(page, { url, subscription: order.subscription_id })
  await choose(page, product)
  expect((await system.api('PATCH', `/v1/products/${product.id}`, { prices: [price(7_000)] })).status).toBe(200)
  await press(page, 'form[method=post][action$="/change"] button')
  expect(await readText(page)).toMatch(/The amounts have changed, and nothing was charged\.[^]*€70\.00/)
  await look(page, 'plan-outdated')
  expect(await listOrders(customer)).toHaveLength(1)
  expect((await readSubscription(order.subscription_id)).product_id).toBe(small.id)
})

test('a change whose charge is declined is named, and the plan stays as it was', async () => {
  await allow({ proration_behavior: 'invoice' })
  const { url, order } = await sellToCustomer(system, small, 'ctoken_once')
  await using visit = await openVisit(browser, { scripts: false })
  const { page } = visit
  await openPlans(page, { url, subscription: order.subscription_id })
  await choose(page, large)
  await press(page, 'form[method=post][action$="/change"] button')
  expect(await readText(page)).toMatch(/The card was declined\. No money was taken\.[^]*Large plan/)
  await look(page, 'plan-declined')
  expect(await readSubscription(order.subscription_id)).toMatchObject({ product_id: small.id, status: 'active' })
})

test('a change that the bank wants confirmed leads to the page that pays it', async () => {
  await allow({ proration_behavior: 'invoice' })
  const { url, order, customer } = await sellToCustomer(system, small, 'ctoken_needs_buyer_later')
  await using visit = await openVisit(browser, { scripts: false })
  const { page } = visit
  const address = await openPlans(page, { url, subscription: order.subscription_id })
  await choose(page, large)
  await press(page, 'form[method=post][action$="/change"] button')
  const { unpaid_change_order_id: unpaid } = await readSubscription(order.subscription_id)
  expect(page.url()).toContain(`/orders/${unpaid}/pay`)
  await look(page, 'plan-unconfirmed')
  // The button was pressed twice.
  await page.goto(`${address}/change?product_id=${large.id}`)
  expect(page.url()).toContain(`/orders/${unpaid}/pay`)
  await page.goto(address)
  expect(await page.$$(`a[href*="/orders/${unpaid}/pay"]`)).toHaveLength(1)
  expect(await listOrders(customer)).toMatchObject([{ id: unpaid, status: 'pending' }, { status: 'paid' }])
})

test('a change by the seller that the bank wants confirmed is mailed to the customer, with the page that pays it', async () => {
  const { url, order, email } = await sellToCustomer(system, small, 'ctoken_needs_buyer_later')
  const change = { product_id: large.id, proration_behavior: 'invoice' }
  const { status, body } = await system.api('PATCH', `/v1/subscriptions/${order.subscription_id}`, change)
  expect([status, body.product_id]).toEqual([200, large.id])
  const link = await waitForMailedLink(system.readReadyFile().base_url, email, /\/subscriptions\/[^/]+\/pay$/)
  await using visit = await openVisit(browser, { scripts: false })
  const { page } = visit
  await page.goto(url)
  await page.goto(link)
  expect(page.url()).toContain(`/orders/${body.unpaid_change_order_id}/pay`)
  expect(await readText(page)).toContain('Large plan')
})

test('where the seller forbids changes none is offered, and a form that was open changes nothing [pages 74]', async () => {
  const { url, order } = await sellToCustomer(system, small)
  await using visit = await openVisit(browser, { scripts: false })
  const { page } = visit
  const address = await openPlans(page, { url, subscription: order.subscription_id })
  await choose(page, large)
  await allow({ allow_customer_updates: false })
  await press(page, 'form[method=post][action$="/change"] button')
  expect(page.url().replace(/\?.*/, '')).toBe(address)
  expect(await page.$$('a[href*="/change"]')).toEqual([])
  await page.goto(`${address}/change?product_id=${large.id}`)
  expect(page.url()).toBe(address)
  expect(await readSubscription(order.subscription_id)).toMatchObject({ product_id: small.id, pending_product_id: null })
})

test('a first paid plan whose tax needs an address leads to the details of the customer', async () => {
  const shop = openShop(system)
  const free = await shop.sell({ amount_type: 'free' }, { name: 'Free plan', recurring_interval: 'month' })
  const { url, order, customer } = await sellToCustomer(system, free)
  const { body: rate } = await system.api('POST', '/v1/tax-rates/', { country: 'US', state: 'US-NY', name: 'Sales tax', percentage: 8 })
  onTestFinished(async () => void (await system.api('DELETE', `/v1/tax-rates/${rate.id}`)))
  const address = { billing_address: { country: 'US' } }
  expect((await system.api('PATCH', `/v1/customers/${customer.id}`, address)).status).toBe(200)
  await using visit = await openVisit(browser, { scripts: false })
  const { page } = visit
  await openPlans(page, { url, subscription: order.subscription_id })
  await choose(page, small)
  expect(await readText(page)).toContain('The tax of this plan depends on your billing address.')
  await look(page, 'plan-address')
  await press(page, '[role=alert] a[href*="/details"]')
  expect(page.url()).toContain('/details')
  expect((await readSubscription(order.subscription_id)).product_id).toBe(free.id)
})

test('the plans of another customer are the same page as none [pages 67]', async () => {
  const [ada, bob] = [await sellToCustomer(system, small), await sellToCustomer(system, small)]
  await using visit = await openVisit(browser, { scripts: false })
  const { page } = visit
  await page.goto(ada.url)
  const portal = page.url()
  const read = async (id: string) => {
    const response = await page.goto(`${portal}/subscriptions/${id}/change`)
    return [response?.status(), await readText(page)]
  }
  expect(await read(bob.order.subscription_id)).toEqual(await read('00000000-0000-4000-8000-000000000000'))
  expect((await read(bob.order.subscription_id))[0]).toBe(404)
})
