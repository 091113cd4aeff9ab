import type { RunningSystem } from '@quittance/testing/system'
import { eventually } from '@quittance/testing/eventually'
import { useSharedSystem } from '@quittance/testing/use-shared-system'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { launchChromium, openVisit, press, readText, type Browser, type Page } from '../browser/chromium.ts'
import { look } from './look.ts'
import { sellToCustomer } from './portal-customers.ts'
import { openShop } from './shop.ts'

let system: RunningSystem
let browser: Browser
let libraryCard: { id: string }
beforeAll(async () => {
  ;[system, browser] = await Promise.all([useSharedSystem(), launchChromium()])
  const { create } = openShop(system)
  libraryCard = await create('/v1/products/', {
    name: 'Library card',
    recurring_interval: 'month',
    prices: [{ amount_type: 'fixed', price_amount: 1200, price_currency: 'eur' }],
  })
  const terms = { prefix: 'BOOK', limit_usage: 10 }
  const benefit = await create<{ id: string }>('/v1/benefits/', { type: 'license_keys', description: 'Reader app', properties: terms })
  await system.api('POST', `/v1/products/${libraryCard.id}/benefits`, { benefits: [benefit.id] })
})
afterAll(() => browser.close())

const sellCard = ({ product = libraryCard }: { product?: { id: string } } = {}) => sellToCustomer(system, product)

describe.each([
  ['with scripts', 390, true, 'light'],
  ['without scripts', 1280, false, 'dark'],
] as const)('%s, %i px wide', (...[, width, scripts, scheme]) => {
  test('a customer sees orders, gets the invoice, cancels and takes the cancellation back [pages 62] [pages 69] [pages 70] [pages 71] [pages 72] [pages 117]', async () => {
    const { url, order, token } = await sellCard()
    await using visit = await openVisit(browser, { width, scripts, scheme })
    const { page, complaints, requests } = visit
    const name = `portal-${width}-${scheme}`
    await page.goto(url)
    // The token leaves the address with the first redirect [62].
    const portal = new URL(`/${system.demo.organization.slug}/portal`, url).href
    expect(page.url()).toBe(portal)
    expect(await readText(page)).toContain('Library card')
    await look(page, `${name}-overview`)
    await press(page, `a[href*="/orders/${order.id}"]`)
    await look(page, `${name}-order`)
    await press(page, 'button[value=invoice]')
    const named = await page.$$eval('#errors a', (links) => links.map((link) => link.getAttribute('href')))
    expect(named).toEqual(['#field-billing_address-line1', '#field-billing_address-postal_code', '#field-billing_address-city'])
    await look(page, `${name}-missing`)
    await page.type('[name="billing_address.line1"]', 'Hafenstraße 1')
    await page.type('[name="billing_address.postal_code"]', '20095')
    await page.type('[name="billing_address.city"]', 'Hamburg')
    await press(page, 'button[value=invoice]')
    const download = `a[href$="/orders/${order.id}/invoice"]`
    if (scripts) await page.waitForSelector(download)
    else
      await eventually(async () => void ((await page.$(download)) ?? (await page.reload(), expect(await page.$(download)).not.toBeNull())))
    expect(await page.$eval('address', (each) => (each as unknown as { innerText: string }).innerText)).toMatch(/20095 Hamburg\nGermany$/)
    await look(page, `${name}-invoice`)
    const cookie = await readCookies(page)
    const link = await page.$eval(download, (each) => (each as unknown as { href: string }).href)
    const redirect = await fetch(link, { headers: { cookie }, redirect: 'manual' })
    const document = await fetch(redirect.headers.get('location') ?? '')
    expect([redirect.status, document.headers.get('content-type')]).toEqual([303, 'application/pdf'])
    await page.goto(`${portal}/benefits`)
    expect(await readText(page)).toMatch(/Reader app[^]*BOOK-/)
    await look(page, `${name}-benefits`)
    await page.goto(portal)
    await press(page, 'a[href*="/subscriptions/"]')
    await press(page, 'a[href*="/cancel"]')
    expect(await page.$$('main select, main textarea, main input:not([type=hidden])')).toEqual([])
    expect(await readText(page)).toMatch(/You keep access until/)
    await look(page, `${name}-cancel`)
    await press(page, 'button[value=cancel]')
    expect(await readText(page)).toMatch(/is cancelled[^]*It ends on/)
    await press(page, 'button[value=continue]')
    expect(await readText(page)).toMatch(/The subscription continues[^]*€12\.00 is charged on/)
    await look(page, `${name}-subscription`)
    expect(complaints).toEqual([])
    // Only the first request had the token in its address [126].
    expect(requests.filter((each) => each.includes(token))).toEqual([url])
  })
})

test('the next charge of a subscription is without a discount that has ended, and names the tax that is added', async () => {
  const { create, sell, checkout } = openShop(system)
  await create('/v1/tax-rates/', { country: 'NL', name: 'BTW', percentage: 21 })
  const plan = await sell({ amount_type: 'fixed', price_amount: 2000, price_currency: 'eur' }, { recurring_interval: 'month' })
  const half = { name: 'Half', type: 'percentage', basis_points: 5000 }
  for (const [terms, country, text] of [
    [{ duration: 'once' }, 'BE', '€20.00 is charged on'],
    [{ duration: 'repeating', duration_in_months: 2 }, 'BE', '€10.00 is charged on'],
    [{ duration: 'once' }, 'NL', '€20.00 plus tax is charged on'],
  ] as const) {
    const discount = await create('/v1/discounts/', { ...half, ...terms })
    const { client_secret } = await checkout({ products: [plan.id], discount_id: discount.id })
    const email = `subscriber-${crypto.randomUUID()}@example.com`
    const order = { customer_email: email, customer_billing_address: { country }, confirmation_token_id: 'ctoken_ok' }
    const { body } = await system.api('POST', `/v1/checkouts/client/${client_secret}/confirm`, order)
    await using visit = await openVisit(browser, { scripts: false })
    const { page } = visit
    const query = new URLSearchParams({ customer_session_token: body.customer_session_token }).toString()
    await page.goto(`${system.readReadyFile().base_url}/${system.demo.organization.slug}/portal?${query}`)
    await eventually(async () => {
      await page.reload()
      expect(await page.$('a[href*="/subscriptions/"]')).not.toBeNull()
    })
    await press(page, 'a[href*="/subscriptions/"]')
    expect(await readText(page)).toContain(text)
  }
})

test('billing details and own details are saved, and a wrong tax id is named at its field [pages 68]', async () => {
  const { url, order } = await sellCard()
  await using visit = await openVisit(browser, { scripts: false })
  const { page } = visit
  await page.goto(url)
  await page.goto(`${page.url()}/orders/${order.id}`)
  await page.type('[name="billing_address.city"]', 'Kiel')
  await press(page, 'button[value=save]')
  expect(await readText(page)).toContain('Your changes are saved.')
  expect((await system.api('GET', `/v1/orders/${order.id}`)).body.billing_address).toMatchObject({ city: 'Kiel', country: 'DE' })
  await page.goto(page.url().replace(/\/orders\/.*/, '/details'))
  await page.select('[name="billing_address.country"]', 'DE')
  await page.type('[name=tax_id]', 'nonsense')
  await press(page, 'button.primary')
  expect(await page.$eval('#field-tax_id-error', (error) => error.textContent)).toContain('does not fit the country')
  await look(page, 'portal-details-error')
})

test('an address whose fields are emptied is removed from the customer', async () => {
  const { url, order } = await sellCard()
  await using visit = await openVisit(browser, { scripts: false })
  const { page } = visit
  await page.goto(url)
  await page.goto(`${page.url()}/details`)
  const readAddress = async () => (await system.api('GET', `/v1/customers/${order.customer_id}`)).body.billing_address
  for (const [country, stored] of [
    ['DE', expect.objectContaining({ country: 'DE' }) as object],
    ['', null],
  ] as const) {
    await page.select('[name="billing_address.country"]', country)
    await press(page, 'button.primary')
    expect(await readText(page)).toContain('Your changes are saved.')
    expect(await readAddress()).toEqual(stored)
  }
})

test('an address whose tax is another one is named at its field, and no invoice is announced', async () => {
  const { url, order } = await sellCard()
  const { body: rate } = await system.api('POST', '/v1/tax-rates/', { country: 'IS', name: 'VSK', percentage: 24 })
  onTestFinished(async () => void (await system.api('DELETE', `/v1/tax-rates/${rate.id}`)))
  await using visit = await openVisit(browser, { scripts: false })
  const { page } = visit
  await page.goto(url)
  await page.goto(`${page.url()}/orders/${order.id}`)
  await page.select('[name="billing_address.country"]', 'IS')
  await press(page, 'button[value=save]')
  expect(await page.$eval('#errors a', (link) => link.getAttribute('href'))).toBe('#field-billing_address-country')
  expect(await readText(page)).toContain('The tax of this order was charged for another country or state.')
  expect(await readText(page)).not.toContain('Your invoice is being made')
  await look(page, 'portal-order-tax-place')
  expect((await system.api('GET', `/v1/orders/${order.id}`)).body.billing_address).toMatchObject({ country: 'DE' })
})

test('an address without a country is not dropped: the country is named at its field, and what was typed stays', async () => {
  const { url, order } = await sellCard()
  await using visit = await openVisit(browser, { scripts: false })
  const { page } = visit
  await page.goto(url)
  const portal = page.url()
  for (const path of ['/details', `/orders/${order.id}`]) {
    await page.goto(portal + path)
    await page.select('[name="billing_address.country"]', '')
    await page.type('[name="billing_address.city"]', 'Kiel')
    await press(page, path === '/details' ? 'button.primary' : 'button[value=save]')
    expect(await page.$eval('#errors a', (link) => link.getAttribute('href'))).toBe('#field-billing_address-country')
    expect(await page.$eval('[name="billing_address.city"]', (field) => (field as unknown as { value: string }).value)).toBe('Kiel')
  }
  expect((await system.api('GET', `/v1/orders/${order.id}`)).body.billing_address).toMatchObject({ country: 'DE' })
})

test('a cancellation is taken back by its button alone, and also if the button is pressed in two tabs', async () => {
  const { url, order } = await sellCard()
  const read = async () => (await system.api('GET', `/v1/subscriptions/${order.subscription_id}`)).body.cancel_at_period_end
  await using visit = await openVisit(browser, { scripts: false })
  const { page } = visit
  await page.goto(url)
  const subscription = `${page.url()}/subscriptions/${order.subscription_id}`
  await page.goto(`${subscription}/cancel`)
  await press(page, 'button[value=cancel]')
  await page.$eval('button[value=continue]', (button) => button.setAttribute('value', 'unknown'))
  await press(page, 'button[value=unknown]')
  expect(await read()).toBe(true)
  const other = await page.browserContext().newPage()
  for (const tab of [page, other]) await tab.goto(subscription)
  for (const tab of [page, other]) {
    await press(tab, 'button[value=continue]')
    expect(await readText(tab)).toContain('The subscription continues')
  }
  expect(await read()).toBe(false)
})

test('the pages of an order and a subscription show dates in the zone of the reader, as the overview does', async () => {
  const { url, order } = await sellCard()
  const { body: bought } = await system.api('GET', `/v1/orders/${order.id}`)
  const { body: subscription } = await system.api('GET', `/v1/subscriptions/${order.subscription_id}`)
  // A zone with another date than UTC at this hour.
  const timeZone = new Date(bought.created_at).getUTCHours() < 12 ? 'Etc/GMT+12' : 'Etc/GMT-14'
  const show = (time: string) => new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone }).format(new Date(time))
  await using visit = await openVisit(browser)
  const { page, complaints } = visit
  await page.emulateTimezone(timeZone)
  await page.goto(url)
  const portal = page.url()
  expect(await readText(page)).toContain(show(bought.created_at))
  await page.goto(`${portal}/orders/${order.id}`)
  expect(await page.$eval('h1', (heading) => heading.textContent)).toBe(`Order of ${show(bought.created_at)}`)
  expect(await page.title()).toContain(`Order of ${show(bought.created_at)} –`)
  await look(page, 'portal-dates-order')
  await page.goto(`${portal}/subscriptions/${order.subscription_id}`)
  expect(await readText(page)).toContain(`€12.00 is charged on ${show(subscription.current_period_end)}.`)
  await look(page, 'portal-dates-subscription')
  await press(page, 'a[href*="/cancel"]')
  expect(await readText(page)).toContain(`You keep access until ${show(subscription.current_period_end)}.`)
  expect(complaints).toEqual([])
})

test('an address with an id of the wrong form is the same page as an unknown one', async () => {
  const { url } = await sellCard()
  await using visit = await openVisit(browser, { scripts: false })
  const { page } = visit
  await page.goto(url)
  const portal = page.url()
  for (const path of ['orders/none', 'orders/none/pay', 'orders/none/withdraw', 'subscriptions/none', 'subscriptions/none/cancel']) {
    const reply = await page.goto(`${portal}/${path}`)
    expect({ path, status: reply?.status() }).toEqual({ path, status: 404 })
  }
})

test('the page after signing out is shown in another language, and asks for no resending', async () => {
  const { url } = await sellCard()
  await using visit = await openVisit(browser, { scripts: false })
  const { page } = visit
  await page.goto(url)
  await press(page, 'form[action$="/sign-out"] button')
  await page.click('.language > summary')
  await press(page, 'button[value=de]')
  expect(await page.$eval('html', (html) => html.getAttribute('lang'))).toBe('de')
  expect(await page.$('[name=email]')).not.toBeNull()
})

test('the order of another customer is the same page as none, and signing out ends the visit [pages 67]', async () => {
  const [ada, bob] = [await sellCard(), await sellCard()]
  await using visit = await openVisit(browser)
  const { page } = visit
  await page.goto(ada.url)
  const portal = page.url()
  const read = async (id: string) => {
    const response = await page.goto(`${portal}/orders/${id}`)
    return [response?.status(), await readText(page)]
  }
  expect(await read(bob.order.id)).toEqual(await read('00000000-0000-4000-8000-000000000000'))
  expect((await read(bob.order.id))[0]).toBe(404)
  await page.goto(portal)
  await press(page, 'form[action$="/sign-out"] button')
  await look(page, 'portal-signed-out')
  expect((await page.goto(portal))?.status()).toBe(401)
})

test('the session of a purchase under a known address sees that purchase only [pages 50] [pages 51]', async () => {
  const { email, order, customer } = await sellCard()
  const checkout = await openShop(system).checkout()
  await using visit = await openVisit(browser)
  const { page } = visit
  await page.goto(checkout.url)
  await page.type('[name=customer_email]', email)
  await page.type('[name=customer_name]', 'Mallory')
  await page.select('[name="customer_billing_address.country"]', 'FR')
  await press(page, 'button[value=order]')
  await press(page, 'form[action$="/portal"] button:last-of-type')
  expect(page.url()).toContain('/portal')
  const text = await readText(page)
  expect(text).toContain('Reading room, one year')
  expect(text).not.toContain('Library card')
  expect((await page.goto(`${page.url().split('?')[0]}/orders/${order.id}`))?.status()).toBe(404)
  expect((await system.api('GET', `/v1/customers/${customer.id}`)).body).toMatchObject({
    name: 'Lib Rary',
    billing_address: { country: 'DE' },
  })
})

test('activations of a key are shown where the benefit allows it [pages 75]', async () => {
  for (const isShown of [true, false]) {
    const price = { amount_type: 'fixed', price_amount: 500, price_currency: 'usd' }
    const { create } = openShop(system)
    const product = await create('/v1/products/', { name: 'Reader', recurring_interval: null, prices: [price] })
    const properties = { prefix: 'READ', activations: { limit: 3, enable_customer_admin: isShown } }
    const benefit = await create('/v1/benefits/', { type: 'license_keys', description: 'Reader app', properties })
    await system.api('POST', `/v1/products/${product.id}/benefits`, { benefits: [benefit.id] })
    const { url, customer } = await sellCard({ product })
    const key = await eventually(async () => {
      const { body } = await system.api('GET', '/v1/license-keys/?limit=100')
      const found = (body.items as { key: string; customer_id: string }[]).find(({ customer_id }) => customer_id === customer.id)
      if (!found) throw new Error('The key is not there yet')
      return found.key
    })
    const activation = { key, organization_id: system.demo.organization.id, label: 'Work laptop' }
    expect((await system.api('POST', '/v1/customer-portal/license-keys/activate', activation)).status).toBe(200)
    await using visit = await openVisit(browser, { width: 390 })
    const { page } = visit
    await page.goto(url)
    await page.goto(`${page.url()}/benefits`)
    expect((await readText(page)).includes('Work laptop')).toBe(isShown)
    await look(page, `portal-activations-${isShown}`)
  }
})

/** Generates the invoice of an order and refunds a part. */
async function invoiceAndRefund(orderId: string): Promise<void> {
  const billing_address = { country: 'DE', line1: 'Hafenstraße 1', postal_code: '20095', city: 'Hamburg' }
  await system.api('PATCH', `/v1/orders/${orderId}`, { billing_name: 'Lib Rary', billing_address })
  await system.api('POST', `/v1/orders/${orderId}/invoice`)
  await eventually(async () => expect((await system.api('GET', `/v1/orders/${orderId}`)).body.is_invoice_generated).toBe(true))
  expect((await system.api('POST', '/v1/refunds/', { order_id: orderId, reason: 'other', amount: 200 })).status).toBe(200)
}

/** Loads the page of an order until it has a link, and returns its address. The portal is open. */
async function findOrderLink(page: Page, { orderId, selector }: { orderId: string; selector: string }): Promise<string> {
  const address = `${page.url()}/orders/${orderId}`
  return eventually(async () => {
    await page.goto(address)
    return page.$eval(selector, (each) => (each as unknown as { href: string }).href)
  })
}

async function readCookies(page: Page): Promise<string> {
  return (await page.browserContext().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ')
}

test('the credit notes of a refunded order are listed with their documents', async () => {
  const { url, order } = await sellCard()
  await invoiceAndRefund(order.id)
  await using visit = await openVisit(browser, { scripts: false })
  const { page } = visit
  await page.goto(url)
  const link = await findOrderLink(page, { orderId: order.id, selector: 'a[href*="/credit-notes/"]' })
  await look(page, 'portal-credit-notes')
  const cookie = await readCookies(page)
  const document = await fetch(link, { headers: { cookie } })
  expect([document.status, document.headers.get('content-type')]).toEqual([200, 'application/pdf'])
  const unknown = await fetch(link.replace(/[^/]+$/, crypto.randomUUID()), { headers: { cookie } })
  expect(unknown.status).toBe(404)
})

test('an order with more than twenty refunds lists all of its credit notes', async () => {
  const { url, order } = await sellCard()
  await invoiceAndRefund(order.id)
  for (let refunds = 1; refunds <= 20; refunds += 1)
    expect((await system.api('POST', '/v1/refunds/', { order_id: order.id, reason: 'other', amount: 1 })).status).toBe(200)
  await using visit = await openVisit(browser, { scripts: false })
  const { page } = visit
  await page.goto(url)
  const address = `${page.url()}/orders/${order.id}`
  await eventually(async () => {
    await page.goto(address)
    expect(await page.$$('[aria-labelledby=credit-notes] li')).toHaveLength(21)
  })
})

test('a credit note whose refund was returned is shown as reversed, with the invoice that reverses it', async () => {
  const { url, order } = await sellToCustomer(system, libraryCard, 'ctoken_refund_bounces')
  await invoiceAndRefund(order.id)
  await using visit = await openVisit(browser, { scripts: false })
  const { page } = visit
  await page.goto(url)
  const link = await findOrderLink(page, { orderId: order.id, selector: 'a[href$="/reversal"]' })
  expect(await readText(page)).toMatch(/Download credit note .*Reversed by invoice /s)
  await look(page, 'portal-reversed-credit-note')
  const cookie = await readCookies(page)
  const document = await fetch(link, { headers: { cookie } })
  expect([document.status, document.headers.get('content-type')]).toEqual([200, 'application/pdf'])
})
