import { createServer } from 'node:http'
import { eventually } from '@quittance/testing/eventually'
import { freePorts } from '@quittance/testing/engines/free-ports'
import type { RunningSystem } from '@quittance/testing/system'
import { useSharedSystem } from '@quittance/testing/use-shared-system'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { launchChromium, openVisit, press, readText, typeInto, type Browser, type Page } from '../browser/chromium.ts'
import { look } from './look.ts'
import { countryField, openShop, orderButton, type Checkout, type Shop } from './shop.ts'

let system: RunningSystem
let browser: Browser
let shop: Shop
beforeAll(async () => {
  ;[system, browser] = await Promise.all([useSharedSystem(), launchChromium()])
  shop = openShop(system)
})
afterAll(() => browser.close())

async function fillIn(page: Page, { url }: { url: string }, token = 'ctoken_ok'): Promise<void> {
  await page.goto(url)
  await page.type('[name=customer_email]', `grace-${Math.random().toString(36).slice(2)}@example.com`)
  await page.type('[name=customer_name]', 'Grace Hopper')
  await page.select(countryField, 'GB')
  await page.click(`[name=confirmation_token_id][value=${token}]`)
}

describe.each([
  ['with scripts', true],
  ['without scripts', false],
] as const)('%s', (_, scripts) => {
  test('a payment that takes seconds becomes success, without scripts after one "Check again" [pages 36] [pages 37]', async () => {
    const checkout = await shop.checkout()
    await using visit = await openVisit(browser, { scripts })
    const { page, complaints } = visit
    await fillIn(page, checkout, 'ctoken_slow')
    await press(page, orderButton)
    // Offline, the page does not learn of the result while it is checked.
    await page.setOfflineMode(true)
    expect(await readText(page)).toContain('Your payment is being processed')
    await look(page, `processing-${scripts}`)
    await page.setOfflineMode(false)
    if (!scripts) await press(page, 'a[href*=wait]')
    await eventually(async () => expect(await readText(page)).toContain('Your order is paid.'))
    expect(complaints).toEqual([])
  })

  test('a payment declined after the order leads to the filled form, and a second try succeeds [pages 38]', async () => {
    const checkout = await shop.checkout()
    await using visit = await openVisit(browser, { scripts })
    const { page } = visit
    await fillIn(page, checkout, 'ctoken_declined_later')
    await press(page, orderButton)
    await eventually(async () => {
      if (!(await page.$(orderButton))) await page.reload()
      expect(await page.$(orderButton)).not.toBeNull()
    })
    expect(await page.$eval('#errors', (element) => element.textContent)).toContain('No money was taken')
    expect(await page.$eval('[name=customer_name]', (field) => (field as unknown as { value: string }).value)).toBe('Grace Hopper')
    await look(page, `declined-later-${scripts}`)
    await page.click('[name=confirmation_token_id][value=ctoken_ok]')
    await press(page, orderButton)
    expect(await readText(page)).toContain('Your order is paid.')
    expect((await shop.orders(checkout)).filter(({ status }) => status === 'paid')).toHaveLength(1)
  })

  test('a declined card is named at the payment, with what was typed', async () => {
    await using visit = await openVisit(browser, { scripts })
    const { page } = visit
    await fillIn(page, await shop.checkout(), 'ctoken_insufficient_funds')
    await press(page, orderButton)
    expect(await page.$eval('#field-confirmation_token_id-error', (error) => error.textContent)).toContain('No money was taken')
    expect(await page.$eval(countryField, (field) => (field as unknown as { value: string }).value)).toBe('GB')
    await look(page, `declined-${scripts}`)
  })
})

/** What a browser without scripts sends with the order button. */
async function readForm(page: Page): Promise<[string, string][]> {
  const form = await page.$$eval('form#checkout :is(input, select)[name]', (fields) =>
    (fields as unknown as { name: string; value: string; type: string; checked: boolean }[])
      .filter(({ type, checked }) => (type !== 'radio' && type !== 'checkbox') || checked)
      .map(({ name, value }) => [name, value] as [string, string]),
  )
  return [...form, ['intent', 'order']]
}

function sendForm({ url }: Checkout, form: [string, string][]): Promise<Response> {
  const headers = { 'sec-fetch-site': 'same-origin' }
  return fetch(url, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual', headers })
}

test('two presses make one order, and both lead to the confirmation with the session of the purchase [pages 33]', async () => {
  const checkout = await shop.checkout()
  await using visit = await openVisit(browser, { scripts: false })
  const { page } = visit
  await fillIn(page, checkout)
  const form = await readForm(page)
  const replies = await Promise.all([sendForm(checkout, form), sendForm(checkout, form)])
  for (const { status, headers } of replies) {
    expect([status, headers.get('location')]).toEqual([303, expect.stringContaining('/confirmation')])
    expect(headers.get('set-cookie')).toMatch(/^qt_sale=.*HttpOnly; SameSite=Lax/)
  }
  expect(await shop.orders(checkout)).toHaveLength(1)
})

test('the form of before a decline shows the total to order again, and after an order the confirmation', async () => {
  const checkout = await shop.checkout()
  await using visit = await openVisit(browser, { scripts: false })
  const { page } = visit
  await fillIn(page, checkout, 'ctoken_insufficient_funds')
  const stale = await readForm(page)
  const change = (field: string, value: string) => stale.map(([name, old]): [string, string] => [name, name === field ? value : old])
  const readOnce = (html: string) => /name="once" value="([^"]+)"/.exec(html)?.[1] ?? ''
  expect(await (await sendForm(checkout, stale)).text()).toContain('The card was declined.')
  const shown = await sendForm(checkout, change('confirmation_token_id', 'ctoken_ok'))
  const html = await shown.text()
  expect([shown.status, html]).toEqual([409, expect.stringContaining('Nothing was charged. Check it and order again.')])
  expect(html).not.toContain('Idempotency-Key')
  await page.goto(checkout.url)
  await fillIn(page, checkout)
  const paid = [...(await readForm(page)).filter(([name]) => name !== 'once'), ['once', readOnce(html)]] as [string, string][]
  expect((await sendForm(checkout, paid)).status).toBe(303)
  const again = await sendForm(checkout, change('customer_name', 'Other'))
  expect([again.status, again.headers.get('location')]).toEqual([303, expect.stringContaining('/confirmation')])
  expect(await shop.orders(checkout)).toHaveLength(1)
})

test('an order that the browser stopped sending can be sent again', async () => {
  const checkout = await shop.checkout()
  await using visit = await openVisit(browser)
  const { page } = visit
  await fillIn(page, checkout)
  await page.waitForNetworkIdle()
  await page.setRequestInterception(true)
  let isStopped = true
  page.on('request', (request) => {
    if (isStopped && request.postData()?.includes('intent=order')) void request.abort('aborted')
    else void request.continue()
  })
  await Promise.all([page.waitForRequest((request) => request.postData()?.includes('intent=order') ?? false), page.click(orderButton)])
  isStopped = false
  await eventually(
    async () => {
      await (await page.$(orderButton))?.click()
      expect(await shop.orders(checkout)).toHaveLength(1)
    },
    { withinMs: 20_000 },
  )
})

test('a second tab that orders later shows the confirmation [pages 35]', async () => {
  const checkout = await shop.checkout()
  await using visit = await openVisit(browser)
  const { page } = visit
  const second = await page.browserContext().newPage()
  await fillIn(second, checkout)
  // An update that is still sent would find the order of the other tab, and load the confirmation before the press.
  await second.waitForNetworkIdle({ idleTime: 600 })
  await fillIn(page, checkout)
  await press(page, orderButton)
  await press(second, orderButton)
  expect(await readText(second)).toContain('Your order is paid.')
  expect(await shop.orders(checkout)).toHaveLength(1)
  await second.goto(checkout.url)
  expect(second.url()).toContain('/confirmation')
})

test('an expired checkout states it and cannot be sent [pages 25]', async () => {
  const checkout = await shop.checkout()
  await using visit = await openVisit(browser, { scripts: false })
  const { page } = visit
  await fillIn(page, checkout)
  await system.rows('orders', `update checkouts set expires_at = now() - interval '1 minute' where id = $1`, [checkout.id])
  await press(page, orderButton)
  expect(await readText(page)).toContain('This checkout has expired')
  await look(page, 'expired')
  expect((await page.goto(checkout.url))?.status()).toBe(410)
  expect(await shop.orders(checkout)).toEqual([])
})

test('a customer with the one allowed subscription is led to the portal [pages 42]', async () => {
  const price = { amount_type: 'fixed', price_amount: 1200, price_currency: 'usd' }
  const card = await shop.sell(price, { name: 'Library card', recurring_interval: 'month' })
  const customer = await shop.create('/v1/customers/', { email: `one-${Date.now()}@example.com`, name: 'One' })
  const buy = async (page: Page) => {
    await page.goto((await shop.checkout({ products: [card.id], customer_id: customer.id })).url)
    await page.select(countryField, 'GB')
    await press(page, orderButton)
  }
  await using visit = await openVisit(browser)
  const { page } = visit
  await buy(page)
  expect(await readText(page)).toContain('Your order is paid.')
  await buy(page)
  expect(await readText(page)).toContain('You already have a subscription')
  await look(page, 'subscribed')
  expect(await page.$$(`a[href="/${system.demo.organization.slug}/portal"]`)).toHaveLength(1)
})

test('success_url gets id and token once the order is paid, and may redirect to another origin [pages 43] [pages 126]', async () => {
  const [port = 0] = await freePorts(1)
  const received: (string | undefined)[][] = []
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/done')) {
      received.push([request.url, request.headers.referer])
      response.writeHead(302, { location: `http://localhost:${port}/welcome` }).end()
      return
    }
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>Shop</title><p>Back in the shop.')
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const success_url = `http://127.0.0.1:${port}/done?checkout={CHECKOUT_ID}`
  try {
    for (const token of ['ctoken_ok', 'ctoken_slow']) {
      const checkout = await shop.checkout({ success_url })
      await using visit = await openVisit(browser)
      const { page, complaints } = visit
      await fillIn(page, checkout, token)
      await press(page, orderButton)
      if (token === 'ctoken_slow') {
        expect(received).toHaveLength(1)
        await eventually(() => expect(page.url()).toContain('/welcome'))
      }
      expect(page.url()).toBe(`http://localhost:${port}/welcome`)
      expect(received.at(-1)?.[0]).toMatch(new RegExp(`^/done\\?checkout=${checkout.id}&customer_session_token=qt_cst_`))
      // No address of the checkout reaches the shop [126].
      expect(received.at(-1)?.[1]).toBeUndefined()
      expect(complaints).toEqual([])
    }
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

test.each([
  'javascript:alert(1)',
  'data:text/html,x',
  'file:///etc/passwd',
  '//evil.example/x',
  'shop://done',
  'http://user:pw@evil.example/',
])('the success_url %s is never followed [pages 44]', async (success_url) => {
  const checkout = await shop.checkout({ success_url })
  await using visit = await openVisit(browser, { scripts: false })
  const { page } = visit
  await fillIn(page, checkout)
  await press(page, orderButton)
  expect(page.url()).toContain(`${checkout.url}/confirmation`)
  expect(await readText(page)).toContain('Your order is paid.')
})

test('the success page shows keys and no address; another browser sees neither keys nor a way to the invoice [pages 45] [pages 46]', async () => {
  const price = { amount_type: 'fixed', price_amount: 500, price_currency: 'usd' }
  const product = await shop.sell(price, { name: 'Reader' })
  const benefit = await shop.create('/v1/benefits/', { type: 'license_keys', description: 'Reader app', properties: { prefix: 'READ' } })
  await system.api('POST', `/v1/products/${product.id}/benefits`, { benefits: [benefit.id] })
  const checkout: Checkout = await shop.checkout({ products: [product.id], require_billing_address: true })
  await using visit = await openVisit(browser)
  const { page } = visit
  await fillIn(page, checkout)
  for (const [name, text] of [
    ['line1', 'Secret Street 1'],
    ['postal_code', 'SW1Y 4JH'],
    ['city', 'London'],
  ]) {
    await typeInto(page, `[name="customer_billing_address.${name}"]`, text as string)
  }
  await press(page, orderButton)
  await eventually(async () => {
    await page.reload()
    expect(await readText(page)).toMatch(/READ-/)
  })
  await look(page, 'success-keys')
  expect(await page.content()).not.toMatch(/Secret Street|SW1Y|grace-\w+@/)
  const other = await (await fetch(`${checkout.url}/confirmation`)).text()
  expect(other).toContain('Your order is paid.')
  expect(other).not.toMatch(/READ-|name="order"|Secret Street|grace-\w+@/)
})

test('one request of many for a payment in progress waits for its end, the others are answered at once', async () => {
  const { url, client_secret: secret } = await shop.checkout()
  const { status } = await system.api('POST', `/v1/checkouts/client/${secret}/confirm`, {
    confirmation_token_id: 'ctoken_pending',
    customer_email: 'grace@example.com',
    customer_name: 'Grace Hopper',
    customer_billing_address: { country: 'GB' },
  })
  expect(status).toBe(200)
  let answered = 0
  const requests = Array.from({ length: 20 }, async () => {
    await (await fetch(`${url}/confirmation?wait=1`)).text()
    answered += 1
  })
  await eventually(() => expect(answered).toBeGreaterThan(18))
  await (await fetch(url)).text()
  expect(answered).toBe(19)
  await Promise.all(requests)
})

test('a checkout can be framed by its stored origin alone [pages 53]', async () => {
  const policy = async (checkout: Checkout) => (await fetch(`${checkout.url}?embed=true&embed_origin=https://evil.example`)).headers
  const closed = await policy(await shop.checkout())
  expect(closed.get('content-security-policy')).toContain("frame-ancestors 'none'")
  expect(closed.get('x-frame-options')).toBe('DENY')
  const open = await policy(await shop.checkout({ embed_origin: 'https://shop.example/path' }))
  expect(open.get('content-security-policy')).toContain('frame-ancestors https://shop.example;')
  expect(open.get('x-frame-options')).toBeNull()
})
