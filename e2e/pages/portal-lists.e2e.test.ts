import { eventually } from '@quittance/testing/eventually'
import type { RunningSystem } from '@quittance/testing/system'
import { useSharedSystem } from '@quittance/testing/use-shared-system'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchChromium, openVisit, press, readText, type Browser, type Page } from '../browser/chromium.ts'
import { look } from './look.ts'
import { openShop, type PlacedOrder } from './shop.ts'

let system: RunningSystem
let browser: Browser
let plan: { id: string }
beforeAll(async () => {
  ;[system, browser] = await Promise.all([useSharedSystem(), launchChromium()])
  const { create, sell } = openShop(system)
  const { organization } = system.demo
  const { body } = await system.api('GET', `/v1/organizations/${organization.id}`)
  const subscription_settings = { ...body.subscription_settings, allow_multiple_subscriptions: true }
  await system.api('PATCH', `/v1/organizations/${organization.id}`, { subscription_settings })
  plan = await sell({ amount_type: 'free' }, { name: 'Reading plan', recurring_interval: 'month' })
  const properties = { activations: { limit: 3, enable_customer_admin: true } }
  const benefit = await create('/v1/benefits/', { type: 'license_keys', description: 'Reader app', properties })
  await system.api('POST', `/v1/products/${plan.id}/benefits`, { benefits: [benefit.id] })
})
afterAll(() => browser.close())

/** Sells the plan to one customer several times. Returns the subscriptions, oldest first, and a link to the portal. */
async function subscribe(times: number) {
  const { create, checkout, orders } = openShop(system)
  const customer = await create('/v1/customers/', { email: `lists-${crypto.randomUUID()}@example.com` })
  const subscriptions: string[] = []
  for (let time = 0; time < times; time += 1) {
    const opened = await checkout({ products: [plan.id], customer_id: customer.id })
    const confirmation = { customer_name: 'Lib Rary', customer_billing_address: { country: 'DE' } }
    expect((await system.api('POST', `/v1/checkouts/client/${opened.client_secret}/confirm`, confirmation)).status).toBe(200)
    const [order] = await eventually(async () => {
      const placed = await orders(opened)
      expect(placed).toHaveLength(1)
      return placed as [PlacedOrder]
    })
    subscriptions.push(order.subscription_id)
  }
  const { customer_portal_url: url } = await create<{ customer_portal_url: string }>('/v1/customer-sessions/', { customer_id: customer.id })
  return { customer, subscriptions, url }
}

const listed = (page: Page) =>
  page.$$eval('[aria-labelledby=subscriptions] li a', (links) =>
    links.map((link) => /subscriptions\/([^?]+)/.exec(link.getAttribute('href') ?? '')?.[1]),
  )

test('a customer reaches the oldest of many subscriptions, after those that run come those that ended', async () => {
  const { subscriptions, url } = await subscribe(12)
  const ended = subscriptions.splice(-1)
  const revoked = await system.api('DELETE', `/v1/subscriptions/${ended[0]}`)
  expect(revoked.body.status).toBe('canceled')
  await using visit = await openVisit(browser, { scripts: false, width: 390, language: 'de-DE' })
  const { page } = visit
  await page.goto(url)
  const newestFirst = subscriptions.toReversed()
  expect(await listed(page)).toEqual(newestFirst.slice(0, 10))
  expect(await readText(page)).toContain('Seite 1 von 2')
  await look(page, 'portal-lists-390')
  await press(page, 'nav[aria-label=Bestellungen] a')
  await press(page, 'nav[aria-label=Abonnements] a[aria-label="Nächste Seite: Abonnements"]')
  expect(await listed(page)).toEqual([...newestFirst.slice(10), ...ended])
  // The other list stays on its page.
  expect(await readText(page)).toContain('Neuere Bestellungen')
  await look(page, 'portal-lists-390-last')
  await page.click('.language > summary')
  await press(page, 'button[value=fr]')
  expect(await listed(page)).toEqual([...newestFirst.slice(10), ...ended])
  expect(await readText(page)).toContain('Commandes plus récentes')
  await press(page, `a[href*="${subscriptions[0]}"]`)
  await press(page, 'a[href*="/cancel"]')
  await press(page, 'button[value=cancel]')
  expect((await system.api('GET', `/v1/subscriptions/${subscriptions[0]}`)).body.cancel_at_period_end).toBe(true)
})

test('a customer sees every key with its activations, also with many benefits', async () => {
  const { customer, url } = await subscribe(11)
  const keys = await eventually(async () => {
    const { body } = await system.api('GET', '/v1/license-keys/?limit=100')
    const own = (body.items as { key: string; customer_id: string }[]).filter(({ customer_id }) => customer_id === customer.id)
    expect(own).toHaveLength(11)
    return own.map(({ key }) => key)
  })
  for (const [index, key] of keys.entries()) {
    const activation = { key, organization_id: system.demo.organization.id, label: `Laptop ${index}` }
    expect((await system.api('POST', '/v1/customer-portal/license-keys/activate', activation)).status).toBe(200)
  }
  await using visit = await openVisit(browser, { scripts: false })
  const { page } = visit
  await page.goto(url)
  await press(page, 'a[href*="/benefits"]')
  const first = await readText(page)
  expect(first.match(/Laptop \d+/g)).toHaveLength(10)
  await press(page, 'nav[aria-label="Benefits and licence keys"] a')
  const second = await readText(page)
  await look(page, 'portal-lists-benefits')
  for (const [index, key] of keys.entries()) expect(first + second).toMatch(new RegExp(`${key}[^]*Laptop ${index}\\b`))
  await press(page, 'nav a')
  expect(await readText(page)).toContain('Page 1 of 2')
})
