import { useSharedSystem } from '@quittance/testing/use-shared-system'
import type { RunningSystem } from '@quittance/testing/system'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findOverflow, findViolations, launchChromium, openVisit, press, readText, screenshot, type Browser } from '../browser/chromium.ts'
import { countryField, openShop, orderButton, type Shop } from './shop.ts'

let system: RunningSystem
let browser: Browser
let shop: Shop
beforeAll(async () => {
  ;[system, browser] = await Promise.all([useSharedSystem(), launchChromium()])
  shop = openShop(system)
})
afterAll(() => browser.close())

const fixed = { amount_type: 'fixed', price_amount: 1800, price_currency: 'eur' }

/** Creates a product and a link to buy it. */
async function createLink(fields: object = {}) {
  const product = await shop.sell(fixed, { name: 'Harbour map' })
  const link = await shop.create<{ id: string; url: string; client_secret: string }>('/v1/checkout-links/', {
    products: [product.id],
    ...fields,
  })
  return { product, link }
}

const countCheckouts = async ({ id }: { id: string }) =>
  (await system.api('GET', `/v1/checkouts/?product_id=${id}`)).body.pagination.total_count

describe.each([
  ['with scripts', 390, true, 'dark'],
  ['without scripts', 1280, false, 'light'],
] as const)('%s, %i px wide', (...[, width, scripts, scheme]) => {
  test('a link to buy opens a checkout with what it fills in, and sells [pages 6] [pages 117]', async () => {
    const { product, link } = await createLink()
    await shop.create('/v1/discounts/', { name: 'Half', type: 'percentage', basis_points: 5000, duration: 'once', code: `HALF${width}` })
    await using visit = await openVisit(browser, { width, scripts, scheme })
    const { page, complaints, requests } = visit
    const query = new URLSearchParams({
      customer_email: 'ada@example.com',
      customer_name: 'Ada',
      discount_code: `half${width}`,
      locale: 'de',
    })
    await page.goto(`${link.url}?${query}`)
    expect(new URL(page.url()).pathname).toMatch(/^\/checkout\/qt_co_/)
    expect(new URL(page.url()).search).toBe('?locale=de')
    expect(await page.$eval('[name=customer_email]', (field) => (field as unknown as { value: string }).value)).toBe('ada@example.com')
    expect(await page.browserContext().cookies()).toEqual([])
    await screenshot(page, `buy-link-${width}-${scheme}`)
    expect({ violations: await findViolations(page), overflow: await findOverflow(page) }).toEqual({ violations: [], overflow: 0 })
    await page.select(countryField, 'DE')
    await page.click('[value=ctoken_ok]')
    if (scripts) await page.waitForFunction(`!document.querySelector('[aria-busy=true]')`)
    await press(page, orderButton)
    await page.waitForSelector('h1')
    const { body } = await system.api('GET', `/v1/orders/?product_id=${product.id}`)
    expect(body.items).toMatchObject([{ net_amount: 900 }])
    expect(complaints).toEqual([])
    expect(requests.map((each) => new URL(each).origin)).toEqual(requests.map(() => new URL(link.url).origin))
  })

  test('a link whose products are archived states that the offer has ended [pages 117]', async () => {
    const { product, link } = await createLink()
    expect((await system.api('PATCH', `/v1/products/${product.id}`, { is_archived: true })).status).toBe(200)
    await using visit = await openVisit(browser, { width, scripts, scheme })
    const response = await visit.page.goto(link.url)
    expect([response?.status(), await readText(visit.page)]).toEqual([410, expect.stringContaining('This offer has ended')])
    await screenshot(visit.page, `buy-link-ended-${width}-${scheme}`)
    expect({ violations: await findViolations(visit.page), overflow: await findOverflow(visit.page) }).toEqual({
      violations: [],
      overflow: 0,
    })
    expect(await countCheckouts(product)).toBe(0)
  })
})

test('values that cannot be used are left out, and the checkout opens', async () => {
  const { product, link } = await createLink()
  const query = new URLSearchParams({
    customer_email: 'nobody',
    product_id: system.demo.product_id,
    discount_code: `'--`,
    amount: '-5',
    locale: 'xx',
    customer_name: '<b>Ada</b>',
    embed_origin: 'https://evil.example',
    success_url: 'https://evil.example',
  })
  await using visit = await openVisit(browser)
  const response = await visit.page.goto(`${link.url}?${query}`)
  expect(response?.headers()['content-security-policy']).toMatch(/frame-ancestors 'none'/)
  expect(await visit.page.$eval('[name=customer_name]', (field) => (field as unknown as { value: string }).value)).toBe('<b>Ada</b>')
  expect(await visit.page.content()).not.toContain('evil.example')
  expect(await countCheckouts(product)).toBe(1)
})

test('a prefetch, a HEAD, another method and an unknown link make no checkout', async () => {
  const { product, link } = await createLink()
  const ask = async (url: string, init: RequestInit) => (await fetch(url, { redirect: 'manual', ...init })).status
  expect(await ask(link.url, { headers: { 'sec-purpose': 'prefetch;prerender' } })).toBe(204)
  expect(await ask(link.url, { headers: { purpose: 'prefetch' } })).toBe(204)
  expect(await ask(link.url, { method: 'HEAD' })).toBe(204)
  expect(await ask(link.url, { method: 'POST' })).toBe(403)
  expect(await ask(`${link.url}x`, {})).toBe(404)
  expect(await ask(new URL('/buy/qt_co_x', link.url).href, {})).toBe(404)
  expect((await system.api('DELETE', `/v1/checkout-links/${link.id}`)).status).toBe(204)
  expect(await ask(link.url, {})).toBe(404)
  expect(await countCheckouts(product)).toBe(0)
})
