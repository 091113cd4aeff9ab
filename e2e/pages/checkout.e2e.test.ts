import type { RunningSystem } from '@quittance/testing/system'
import { useSharedSystem } from '@quittance/testing/use-shared-system'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findOverflow, findViolations, launchChromium, openVisit, press, readText, screenshot, type Browser } from '../browser/chromium.ts'
import { look } from './look.ts'
import { openShop } from './shop.ts'

let system: RunningSystem
let browser: Browser
beforeAll(async () => {
  ;[system, browser] = await Promise.all([useSharedSystem(), launchChromium()])
})
afterAll(() => browser.close())

const order = 'button[value=order]'
const country = '[name="customer_billing_address.country"]'

interface Checkout {
  id: string
  url: string
  client_secret: string
}

async function createCheckout(fields: object = {}): Promise<Checkout> {
  const { status, body } = await system.api('POST', '/v1/checkouts/', { products: [system.demo.product_id], ...fields })
  expect(status).toBe(201)
  return body
}

const findOrders = async ({ id }: Checkout) => (await system.api('GET', `/v1/orders/?checkout_id=${id}`)).body.items

describe.each([
  ['with scripts', 1280, true, 'light'],
  ['with scripts', 390, true, 'dark'],
  ['without scripts', 1280, false, 'dark'],
  ['without scripts', 390, false, 'light'],
] as const)('%s, %i px wide', (...[, width, scripts, scheme]) => {
  test(`the link of a checkout leads to a page where a buyer pays and gets a confirmation [pages 1] [pages 6] [pages 34] [pages 117] [pages 119] [pages 120]`, async () => {
    const checkout = await createCheckout()
    await using visit = await openVisit(browser, { width, scripts, scheme })
    const { page, complaints, requests } = visit
    const name = `${scripts ? 'scripts' : 'plain'}-${width}-${scheme}`
    expect((await page.goto(checkout.url))?.status()).toBe(200)
    expect(await readText(page)).toContain('Reading room, one year')
    await screenshot(page, `checkout-${name}`)
    expect([await findViolations(page), await findOverflow(page)]).toEqual([[], 0])
    // Before an order: no cookie, and nothing from elsewhere [6].
    expect(await page.browserContext().cookies()).toEqual([])
    expect(requests.filter((url) => !url.startsWith(checkout.url) && !url.startsWith('data:'))).toEqual([])
    await page.type('[name=customer_email]', 'grace@example.com')
    await page.type('[name=customer_name]', 'Grace Hopper')
    await page.select(country, 'GB')
    await press(page, order)
    expect(page.url()).toContain(`${checkout.url}/confirmation`)
    expect(await readText(page)).toMatch(/Thank you\. Your order is paid\.[^]*\$49\.00[^]*g\*\*\*@example\.com/)
    await screenshot(page, `success-${name}`)
    expect([await findViolations(page), await findOverflow(page)]).toEqual([[], 0])
    expect(await findOrders(checkout)).toMatchObject([{ status: 'paid', total_amount: 4900, billing_name: 'Grace Hopper' }])
    // Reloading orders nothing and asks for no resending [34].
    await page.reload()
    expect(await readText(page)).toContain('Your order is paid.')
    expect(await findOrders(checkout)).toHaveLength(1)
    expect(complaints).toEqual([])
  })

  test('names everything that is missing at once, and each link moves to its field [pages 22]', async () => {
    const checkout = await createCheckout()
    await using visit = await openVisit(browser, { width, scripts, scheme, language: 'en' })
    const { page, complaints } = visit
    await page.goto(checkout.url)
    await press(page, order)
    expect(await page.title()).toMatch(/^Error: /)
    const links = await page.$$eval('#errors a', (all) => all.map((link) => [link.textContent.trim(), link.getAttribute('href')]))
    expect(links.map(([, target]) => target)).toEqual([
      '#field-customer_email',
      '#field-customer_name',
      '#field-customer_billing_address-country',
    ])
    expect(await page.$eval(':focus', ({ id }) => id)).toBe('errors')
    for (const [text, target] of links) {
      await page.click(`#errors a[href="${target}"]`)
      expect(await page.$eval(target as string, (field) => field.matches(':target'))).toBe(true)
      expect(await page.$eval(`${target}-error`, (error) => error.textContent)).toBe(text)
    }
    await screenshot(page, `errors-${scripts ? 'scripts' : 'plain'}-${width}-${scheme}`)
    expect([await findViolations(page), await findOverflow(page)]).toEqual([[], 0])
    expect(complaints).toEqual([])
  })
})

test.each([
  ['another product is left, without scripts', 3, false],
  ['no other product is left, without scripts', 2, false],
  ['another product is left, with scripts', 3, true],
  ['no other product is left, with scripts', 2, true],
])('the error of a product that is no longer offered stands at the choice: %s', async (title, count, scripts) => {
  const { sell, checkout: create } = openShop(system)
  const price = { amount_type: 'fixed', price_amount: 900, price_currency: 'eur' }
  const products = await Promise.all(Array.from({ length: count }, (_, index) => sell(price, { name: `Volume ${index + 1}` })))
  const checkout = await create({ products: products.map(({ id }) => id) })
  await using visit = await openVisit(browser, { scripts, width: 390 })
  const { page, complaints } = visit
  await page.goto(checkout.url)
  const archived = products.at(-1)?.id
  expect((await system.api('PATCH', `/v1/products/${archived}`, { is_archived: true })).status).toBe(200)
  await page.click(`[value="${archived}"]`)
  // A new total shows errors at their fields; the summary comes with the order.
  if (scripts) await page.waitForSelector('#field-product_id-error')
  else {
    await press(page, order)
    await page.click('#errors a[href="#field-product_id"]')
    expect(await page.$eval(':target', ({ id }) => id)).toBe('field-product_id')
  }
  const described = await page.$eval('#product-choice', (choice) => choice.getAttribute('aria-describedby'))
  expect(await page.$eval(`#${described}`, (error) => error.textContent)).toBe('This product is no longer offered. Choose another.')
  await look(page, `checkout-product-error-${title.replaceAll(/\W+/g, '-')}`)
  expect(complaints).toEqual([])
})

test('every page has the headers of a page that only shows itself [pages 5]', async () => {
  const checkout = await createCheckout()
  for (const url of [checkout.url, `${checkout.url}x`, `${new URL(checkout.url).origin}/`]) {
    const { headers } = await fetch(url, { headers: { accept: 'text/html' } })
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("require-trusted-types-for 'script'")
    expect(policy).not.toMatch(/unsafe-inline|unsafe-eval|\*/)
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'x-robots-tag': 'noindex',
      'cross-origin-opener-policy': 'same-origin',
    })
  }
})

test('a form of another origin is 403 and changes nothing [pages 125]', async () => {
  const checkout = await createCheckout()
  const form = { intent: 'order', customer_email: 'a@example.com', customer_name: 'A', confirmation_token_id: 'ctoken_ok' }
  for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }, {}]) {
    const response = await fetch(checkout.url, { method: 'POST', body: new URLSearchParams(form), headers })
    expect(response.status).toBe(403)
    expect(await response.text()).toContain('another site')
  }
  expect(await findOrders(checkout)).toEqual([])
})
