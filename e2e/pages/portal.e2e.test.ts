import type { RunningSystem } from '@quittance/testing/system'
import { eventually } from '@quittance/testing/eventually'
import { useSharedSystem } from '@quittance/testing/use-shared-system'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  findOverflow,
  findViolations,
  launchChromium,
  openVisit,
  press,
  readText,
  screenshot,
  type Browser,
  type Page,
} from './chromium.ts'

let system: RunningSystem
let browser: Browser
let libraryCard: { id: string }
beforeAll(async () => {
  ;[system, browser] = await Promise.all([useSharedSystem(), launchChromium()])
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

async function create<Reply = { id: string }>(path: string, body: object): Promise<Reply> {
  const reply = await system.api('POST', path, body)
  expect(reply.status).toBe(201)
  return reply.body
}

let created = 0
/** Sells to a new customer, and returns a link of the seller to the customer's portal. */
async function sellCard(email = `reader-${(created += 1)}-${system.demo.organization.slug}@example.com`) {
  const customer = await create<{ id: string }>('/v1/customers/', { email, name: 'Lib Rary' })
  const checkout = await create<{ id: string; client_secret: string }>('/v1/checkouts/', {
    products: [libraryCard.id],
    customer_id: customer.id,
  })
  const confirmation = { confirmation_token_id: 'ctoken_ok', customer_billing_address: { country: 'DE' } }
  expect((await system.api('POST', `/v1/checkouts/client/${checkout.client_secret}/confirm`, confirmation)).status).toBe(200)
  const order = await eventually(async () => {
    const { body } = await system.api('GET', `/v1/orders/?checkout_id=${checkout.id}`)
    expect(body.items[0]?.status).toBe('paid')
    return body.items[0] as { id: string }
  })
  return { email, customer, order, ...(await createLink(customer)) }
}

async function createLink({ id }: { id: string }): Promise<{ url: string; token: string }> {
  const session = await create<{ customer_portal_url: string; token: string }>('/v1/customer-sessions/', { customer_id: id })
  return { url: session.customer_portal_url, token: session.token }
}

const look = async (page: Page, name: string) => {
  await screenshot(page, name)
  expect({ name, violations: await findViolations(page), overflow: await findOverflow(page) }).toEqual({
    name,
    violations: [],
    overflow: 0,
  })
}

describe.each([
  ['with scripts', 390, true, 'light'],
  ['without scripts', 1280, false, 'dark'],
] as const)('%s, %i px wide', (...[, width, scripts, scheme]) => {
  test('a customer sees orders, gets the invoice, cancels and takes the cancellation back [69] [70] [71] [72] [pages 117]', async () => {
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
    if (scripts) await page.waitForSelector(download, { timeout: 60_000 })
    else
      await eventually(async () => void ((await page.$(download)) ?? (await page.reload(), expect(await page.$(download)).not.toBeNull())))
    await look(page, `${name}-invoice`)
    const cookie = (await page.browserContext().cookies()).map((each) => `${each.name}=${each.value}`).join('; ')
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

test('a link of another customer does not replace the session without consent', async () => {
  const [ada, bob] = [await sellCard(), await sellCard()]
  await using visit = await openVisit(browser)
  const { page } = visit
  await page.goto(ada.url)
  await page.goto(bob.url)
  expect(page.url()).toMatch(/\/portal\/choose$/)
  await look(page, 'portal-choose')
  await press(page, 'button[value=old]')
  expect(await page.$$(`a[href*="${ada.order.id}"]`)).toHaveLength(1)
  await page.goto(bob.url)
  await press(page, 'button[value=new]')
  expect(await page.$$(`a[href*="${bob.order.id}"]`)).toHaveLength(1)
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

test('the session of a purchase under a known address sees that purchase only [50] [pages 51]', async () => {
  const { email, order, customer } = await sellCard()
  const checkout = await create<{ url: string }>('/v1/checkouts/', { products: [system.demo.product_id] })
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
