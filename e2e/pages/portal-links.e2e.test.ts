import { eventually } from '@quittance/testing/eventually'
import type { RunningSystem } from '@quittance/testing/system'
import { useSharedSystem } from '@quittance/testing/use-shared-system'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchChromium, openVisit, press, type Browser } from '../browser/chromium.ts'
import { look } from './look.ts'
import { sellToCustomer } from './portal-customers.ts'
import { openShop } from './shop.ts'

let system: RunningSystem
let browser: Browser
beforeAll(async () => {
  ;[system, browser] = await Promise.all([useSharedSystem(), launchChromium()])
})
afterAll(() => browser.close())

/** Sells a new product of a seller to a new customer. */
async function sellCard(seller = system) {
  const prices = [{ amount_type: 'fixed', price_amount: 1200, price_currency: 'eur' }]
  const product = await openShop(seller).create<{ id: string }>('/v1/products/', { name: 'Card', recurring_interval: null, prices })
  return sellToCustomer(seller, product)
}

test('a return_url that the seller has not allowed is ignored [pages 76]', async () => {
  const { url, order } = await sellCard()
  for (const return_url of ['https://evil.example/', 'javascript:alert(1)', '//evil.example']) {
    await using visit = await openVisit(browser)
    const { page, requests } = visit
    await page.goto(`${url}&${new URLSearchParams({ return_url })}`)
    const portal = page.url()
    for (const address of [
      portal,
      `${portal}?${new URLSearchParams({ return_url })}`,
      `${portal}/orders/${order.id}?${new URLSearchParams({ return_url })}`,
    ]) {
      const response = await page.goto(address)
      expect(await page.content()).not.toMatch(/evil\.example|javascript:/)
      expect(response?.headers()['content-security-policy']).not.toContain('evil.example')
    }
    expect(requests.filter((each) => new URL(each).hostname === 'evil.example')).toEqual([])
  }
})

test('the portal leads back to a return_url as long as the seller lists its origin [pages 76]', async () => {
  const { customer, order } = await sellCard()
  const list = (return_origins: string[]) =>
    system.api('PATCH', `/v1/organizations/${system.demo.organization.id}`, { page_settings: { return_origins } })
  expect((await list(['https://shop.example'])).status).toBe(200)
  const create = (return_url: string) => system.api('POST', '/v1/customer-sessions/', { customer_id: customer.id, return_url })
  const account = 'https://shop.example/account?tab=orders'
  const session = await eventually(async () => {
    const { body } = await create(account)
    expect(body.return_url).toBe(account)
    return body as { customer_portal_url: string }
  })
  for (const address of ['https://evil.example/', 'https://shop.example@evil.example/', 'javascript:alert(1)']) {
    const { body } = await create(address)
    expect({ address, return_url: body.return_url, isNamed: body.customer_portal_url.includes('return_url') }).toEqual({
      address,
      return_url: null,
      isNamed: false,
    })
  }
  await using visit = await openVisit(browser, { scripts: false, width: 390 })
  const { page, requests } = visit
  const links = () => page.$$eval('main a[rel=noreferrer]', (all) => all.map((link) => link.getAttribute('href')))
  await page.goto(session.customer_portal_url)
  const portal = page.url()
  expect(portal).not.toMatch(/return_url|token/)
  expect(await links()).toEqual([account])
  // A planted link does not replace it.
  await page.goto(`${portal}?${new URLSearchParams({ return_url: 'https://evil.example/' })}`)
  await page.goto(`${portal}/orders/${order.id}`)
  expect(await links()).toEqual([account])
  await look(page, 'portal-return-390')
  const other = 'https://shop.example/other'
  await page.goto(`${portal}?${new URLSearchParams({ return_url: other })}`)
  expect([new URL(page.url()).search, await links()]).toEqual(['?locale=en', [other]])
  expect((await list([])).status).toBe(200)
  await eventually(async () => {
    await page.goto(portal)
    expect(await links()).toEqual([])
  })
  expect(requests.filter((each) => new URL(each).hostname !== new URL(portal).hostname)).toEqual([])
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

test('the choice between two accounts keeps the order of the link, and the language', async () => {
  const [ada, bob] = [await sellCard(), await sellCard()]
  await using visit = await openVisit(browser, { scripts: false, width: 390 })
  const { page } = visit
  await page.goto(ada.url)
  const portal = page.url()
  const offer = async () => {
    await page.goto(bob.url)
    // The address to which the page after a framed checkout leads.
    await page.goto(`${portal}/choose?${new URLSearchParams({ locale: 'de', order: bob.order.id })}`)
  }
  await offer()
  await press(page, 'button[value=old]')
  expect(page.url()).toBe(`${portal}?locale=de`)
  expect(await page.$$(`a[href*="${ada.order.id}"]`)).toHaveLength(1)
  await offer()
  await page.click('.language > summary')
  await press(page, 'button[value=fr]')
  await look(page, 'portal-choose-order')
  await press(page, 'button[value=new]')
  expect(page.url()).toBe(`${portal}/orders/${bob.order.id}?locale=fr`)
  expect(await page.$eval('h1', (heading) => heading.textContent)).toMatch(/^Commande du /)
})

test('the session of another seller opens no portal: a planted link must not collect what visitors type', async () => {
  const { url, order } = await sellCard()
  const planted = await sellCard(await useSharedSystem())
  const address = new URL(url)
  address.searchParams.set('customer_session_token', planted.token)
  await using visit = await openVisit(browser)
  const { page } = visit
  const readStatus = async (to: string) => (await page.goto(to))?.status()
  expect(await readStatus(address.href)).toBe(401)
  expect(await readStatus(`${address.origin}${address.pathname}/payment-methods`)).toBe(401)
  expect(await readStatus(planted.url)).toBe(200)
  expect(await readStatus(url)).toBe(200)
  expect(await readStatus(address.href)).toBe(200)
  expect(await page.$$(`a[href*="${order.id}"]`)).toHaveLength(1)
})
