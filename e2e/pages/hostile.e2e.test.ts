import { eventually } from '@quittance/testing/eventually'
import type { RunningSystem } from '@quittance/testing/system'
import { useSharedSystem } from '@quittance/testing/use-shared-system'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findOverflow, launchChromium, openVisit, press, readText, setValue, type Browser } from '../browser/chromium.ts'
import { countryField, openShop, orderButton, type Shop } from './shop.ts'

let system: RunningSystem
let browser: Browser
let shop: Shop
beforeAll(async () => {
  ;[system, browser] = await Promise.all([useSharedSystem(), launchChromium()])
  shop = openShop(system)
})
afterAll(() => browser.close())

const markup = `<script>globalThis.ran=1</script><img src=x onerror="globalThis.ran=1">"'><svg/onload=globalThis.ran=1>\u202e`

test('markup in every field is text on every page, in every state of the form [pages 124]', async () => {
  const price = { amount_type: 'fixed', price_amount: 500, price_currency: 'usd' }
  const product = await shop.sell(price, { name: markup, description: markup, recurring_interval: 'month' })
  const benefit = await shop.create('/v1/benefits/', {
    type: 'custom',
    description: '<script>globalThis.ran=1</script>',
    properties: { note: markup },
  })
  await system.api('POST', `/v1/products/${product.id}/benefits`, { benefits: [benefit.id] })
  await shop.create('/v1/discounts/', { name: markup, code: `BAD${Date.now()}`, type: 'percentage', basis_points: 100, duration: 'once' })
  await shop.create('/v1/tax-rates/', { country: 'GB', name: '<b onclick=x>VAT</b>', percentage: 20 })
  const checkout = await shop.checkout({ products: [product.id], require_billing_address: true })
  await using visit = await openVisit(browser, { width: 320 })
  const { page, complaints } = visit
  const expectText = async () => {
    expect(await page.evaluate('globalThis.ran')).toBeUndefined()
    expect(await page.$$('main script, main img, main svg, main b')).toHaveLength(0)
    expect(await findOverflow(page)).toBe(0)
    expect(complaints).toEqual([])
  }
  await page.goto(`${checkout.url}?locale=%3Cscript%3E&theme=%22%3E%3Cscript%3E`)
  await expectText()
  await page.select(countryField, 'GB')
  await page.waitForSelector('[name="customer_billing_address.postal_code"]')
  await page.click('[name=is_business_customer]')
  const fields = ['customer_name', 'customer_billing_name', 'customer_tax_id', 'customer_email']
  for (const name of [...fields, ...['line1', 'line2', 'postal_code', 'city'].map((part) => `customer_billing_address.${part}`)]) {
    await setValue(page, `[name="${name}"]`, markup)
  }
  await press(page, orderButton)
  await expectText()
  await setValue(page, '[name=customer_email]', 'mallory@example.com')
  await setValue(page, '[name=customer_tax_id]', '')
  await press(page, orderButton)
  // The corrected tax id may change the total; then the order is sent again.
  if (await page.$(orderButton)) await press(page, orderButton)
  expect(await readText(page)).toContain('Your order is paid.')
  await expectText()
  await press(page, 'form[action$="/portal"] button[name=order]')
  await expectText()
  const portal = page.url().replace(/\/orders\/.*/, '')
  for (const path of ['', '/benefits', '/details']) {
    await page.goto(portal + path)
    await expectText()
  }
})

test('hostile hosts, secrets and forms change nothing', async () => {
  const { url } = await shop.checkout()
  const origin = new URL(url).origin
  const { status, headers } = await fetch(url, { headers: { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'javascript' } })
  expect([status, headers.get('location')]).toEqual([200, null])
  const page = await (await fetch(url, { headers: { 'x-forwarded-host': 'evil.example' } })).text()
  expect(page).not.toContain('evil.example')
  for (const path of [
    '/checkout/qt_co_',
    '/checkout/..%2fv1',
    '/checkout/qt_co_x/..',
    '/checkout/qt_co_%00',
    '/checkout/nothing',
    '/a/portal/orders/x',
    '/a;Domain=evil/portal',
    '/a;b/portal/choose',
  ]) {
    const reply = await fetch(origin + path, { redirect: 'manual' })
    expect({ path, isError: reply.status >= 400 && reply.status < 500 }).toEqual({ path, isError: true })
  }
  const post = (body: string, type = 'application/x-www-form-urlencoded') =>
    fetch(url, { method: 'POST', body, headers: { 'content-type': type, 'sec-fetch-site': 'same-origin' }, redirect: 'manual' })
  expect((await post(`intent=update&${'x=1&'.repeat(5_000)}`)).status).toBe(200)
  expect((await post('{"intent":"order"}', 'application/json')).status).toBe(415)
  expect((await post('x'.repeat(70_000))).status).toBe(413)
  expect((await post('intent=update&__proto__=1&constructor=2&customer_billing_address.country=__proto__')).status).toBe(200)
  expect((await post('intent=update&x=%00')).status).toBe(400)
})

test('the checkout keeps its budgets: one page and no other request, small on the wire [pages 121]', async () => {
  const { url } = await shop.checkout()
  const plain = await (await fetch(url, { headers: { 'accept-encoding': 'identity' } })).text()
  const script = /<script type="module">([^]*?)<\/script>/.exec(plain)?.[1] ?? ''
  const style = /<style>([^]*?)<\/style>/.exec(plain)?.[1] ?? ''
  await using visit = await openVisit(browser)
  const { page, requests } = visit
  let wire = 0
  const devTools = await page.createCDPSession()
  await devTools.send('Network.enable')
  devTools.on('Network.loadingFinished', ({ encodedDataLength }) => (wire += encodedDataLength))
  await page.goto(url, { waitUntil: 'networkidle0' })
  expect(script.length).toBeLessThan(30_000)
  expect(style.length).toBeLessThan(16_000)
  expect(wire).toBeLessThan(45_000)
  // The page, and the first total for the country of the browser.
  expect(requests.filter((each) => !each.startsWith('data:')).length).toBeLessThanOrEqual(2)
})

test('a purchase by keyboard alone, with a visible focus that nothing covers [pages 118]', async () => {
  const { url } = await shop.checkout()
  await using visit = await openVisit(browser, { width: 390, language: 'en' })
  const { page } = visit
  await page.goto(url)
  const focusOn = async (selector: string) => {
    for (let presses = 0; presses < 40; presses++) {
      await page.keyboard.press('Tab')
      if (await page.$(`${selector}:focus`)) break
    }
    const box = await page.$eval(`${selector}:focus`, (element) => {
      const { left, top, width, height } = (
        element as unknown as { getBoundingClientRect(): Record<'left' | 'top' | 'width' | 'height', number> }
      ).getBoundingClientRect()
      const point = (element.getRootNode() as unknown as { elementFromPoint(x: number, y: number): unknown }).elementFromPoint(
        left + width / 2,
        top + height / 2,
      )
      return point === element || element.contains(point as never)
    })
    expect({ selector, isSeen: box }).toEqual({ selector, isSeen: true })
  }
  await focusOn('[name=customer_email]')
  await page.keyboard.type('keys@example.com')
  await focusOn('[name=customer_name]')
  await page.keyboard.type('Key Board')
  await focusOn(countryField)
  await page.keyboard.type('United Kingdom')
  // The tax of the test before; the order waits for the total that it is about.
  await eventually(async () => expect(await page.$eval('#announcement', (element) => element.textContent)).toBe('Total $58.80'))
  await focusOn('[name=confirmation_token_id]')
  await focusOn('button.primary')
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')])
  expect(await readText(page)).toContain('Your order is paid.')
})
