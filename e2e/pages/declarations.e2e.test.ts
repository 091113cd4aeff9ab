import { eventually } from '@quittance/testing/eventually'
import type { RunningSystem } from '@quittance/testing/system'
import { useSharedSystem } from '@quittance/testing/use-shared-system'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { launchChromium, openVisit, press, readText, type Browser, type Page } from '../browser/chromium.ts'
import { look } from './look.ts'
import { openShop, orderButton, type Checkout, type Shop } from './shop.ts'

let system: RunningSystem
let browser: Browser
let shop: Shop
let baseUrl: string
let root: string
beforeAll(async () => {
  ;[system, browser] = await Promise.all([useSharedSystem(), launchChromium()])
  shop = openShop(system)
  baseUrl = system.readReadyFile().base_url
  root = `${baseUrl}/${system.demo.organization.slug}`
})
afterAll(() => browser.close())

/** Buys a subscription in Germany on the page, as far as the success page. */
async function subscribe(
  page: Page,
  name = 'Ada Lovelace',
): Promise<{ checkout: Checkout; email: string; order: { id: string; subscription_id: string } }> {
  const price = { amount_type: 'fixed', price_amount: 1200, price_currency: 'eur' }
  const product = await shop.sell(price, { name: 'Library card', recurring_interval: 'month' })
  const checkout = await shop.checkout({ products: [product.id] })
  const email = `consumer-${crypto.randomUUID()}@example.com`
  await page.goto(`${checkout.url}?locale=en`)
  await page.type('[name=customer_email]', email)
  await page.type('[name=customer_name]', name)
  await page.select('[name="customer_billing_address.country"]', 'DE')
  await press(page, orderButton)
  expect(await readText(page)).toContain('Your order is paid.')
  const [order] = (await shop.orders(checkout)) as unknown as { id: string; subscription_id: string }[]
  return { checkout, email, order: order as { id: string; subscription_id: string } }
}

async function findMail(email: string, title: string): Promise<string> {
  return eventually(async () => {
    const list = await (await fetch(`${baseUrl}/mailbox`)).text()
    for (const [, path] of list.matchAll(new RegExp(`href="(/mailbox/[^"]+)"(?:(?!href).)*${email}`, 'gs'))) {
      const mail = await (await fetch(`${baseUrl}${path}`)).text()
      if (mail.includes(title)) return mail
    }
    throw new Error('The mail has not arrived')
  })
}

const listDeclarations = async () => (await system.api('GET', '/v1/declarations/')).body.items

describe.each([
  ['with scripts', 390, true, 'light'],
  ['without scripts', 1280, false, 'dark'],
] as const)('%s, %i px wide', (...[, width, scripts, scheme]) => {
  test('a consumer withdraws without a sign-in in two steps, and gets a receipt [pages 77] [pages 78] [pages 79] [pages 82]', async () => {
    await using visit = await openVisit(browser, { width, scripts, scheme })
    const { page, complaints } = visit
    const { email, order } = await subscribe(page)
    await press(page, `a[href*="/withdraw?reference=${order.id}"]`)
    await look(page, `withdraw-${width}`)
    await press(page, 'button[value=check]')
    expect(await page.$$eval('#errors a', (links) => links.map((link) => link.getAttribute('href')))).toEqual([
      '#field-name',
      '#field-email',
    ])
    await look(page, `withdraw-${width}-errors`)
    await page.type('[name=name]', 'Ada Lovelace')
    await page.type('[name=email]', email)
    await press(page, 'button[value=check]')
    const text = await readText(page)
    for (const part of ['Ada Lovelace', email, order.id]) expect(text).toContain(part)
    expect(await page.$eval('button[value=confirm]', (button) => button.textContent.trim())).toBe('Confirm withdrawal')
    await look(page, `withdraw-${width}-check`)
    await press(page, 'button[value=confirm]')
    expect(await readText(page)).toMatch(/Your withdrawal was received[^]*Received on[^]*UTC/)
    await look(page, `withdraw-${width}-received`)
    const receipt = await findMail(email, 'Your withdrawal was received')
    for (const part of ['Ada Lovelace', order.id, 'UTC']) expect(receipt).toContain(part)
    const [kept] = await listDeclarations()
    expect(kept).toMatchObject({ kind: 'withdrawal', order_id: order.id, is_verified: false, effect: 'none' })
    expect((await system.api('GET', `/v1/subscriptions/${order.subscription_id}`)).body.status).toBe('active')
    expect(complaints).toEqual([])
  })
})

test('withdrawal and cancellation open without a sign-in from the success page, the portal and the mailed receipt [pages 77]', async () => {
  await using visit = await openVisit(browser, { language: 'en' })
  const { page } = visit
  const { email, order } = await subscribe(page)
  const findLinks = async () => {
    const links = await page.$$eval('main a', (all) => all.map((link) => (link as unknown as { href: string }).href))
    return links.filter((link) => link.startsWith(`${root}/withdraw`) || link.startsWith(`${root}/cancel`))
  }
  const onSuccess = await findLinks()
  await press(page, 'form[action$="/portal"] button:last-of-type')
  const inPortal = await findLinks()
  const mail = await findMail(email, 'Your subscription has started')
  const mailed = [...new Set(mail.match(/http[^\s"<]+\/(?:withdraw|cancel)\?[^\s"<]+/g))].map((link) =>
    link.replaceAll('&amp;', '&').replaceAll('&#38;', '&'),
  )
  for (const links of [onSuccess, inPortal, mailed]) {
    expect(links.map((link) => new URL(link).pathname.split('/').at(-1))).toEqual(['withdraw', 'cancel'])
    for (const link of links) expect({ link, status: (await fetch(link, { redirect: 'manual' })).status }).toEqual({ link, status: 200 })
  }
  for (const link of [...onSuccess, ...mailed]) expect(await (await fetch(link)).text()).toContain(`value="${order.id}"`)
})

test('in the portal one step is left, and the subscription ends [pages 81]', async () => {
  await using visit = await openVisit(browser, { width: 390 })
  const { page } = visit
  const { order } = await subscribe(page)
  await press(page, 'form[action$="/portal"] button[name=order]')
  await look(page, 'withdraw-order')
  expect(await page.$$('a[href*="/withdraw"]')).toHaveLength(1)
  await press(page, 'a[href*="/withdraw"]')
  expect(await page.$$('main input:not([type=hidden])')).toEqual([])
  await look(page, 'withdraw-portal')
  await press(page, 'button[value=confirm]')
  expect(await readText(page)).toContain('Your withdrawal was received')
  expect((await system.api('GET', `/v1/subscriptions/${order.subscription_id}`)).body.status).toBe('canceled')
})

test('a customer with a long name of pictographs withdraws in the portal', async () => {
  await using visit = await openVisit(browser)
  const { page } = visit
  // The hundredth unit of UTF-16 is the first half of a character.
  const { order } = await subscribe(page, `${'A'.repeat(99)}😀 Lovelace`)
  await press(page, 'form[action$="/portal"] button[name=order]')
  await press(page, 'a[href*="/withdraw"]')
  await press(page, 'button[value=confirm]')
  expect(await readText(page)).toContain('Your withdrawal was received')
  expect((await listDeclarations()).find((each: { order_id: string }) => each.order_id === order.id)).toMatchObject({
    name: 'A'.repeat(99),
  })
})

test('another language of the withdrawal in the portal declares nothing', async () => {
  await using visit = await openVisit(browser, { scripts: false })
  const { page } = visit
  const { order } = await subscribe(page)
  await press(page, 'form[action$="/portal"] button[name=order]')
  await press(page, 'a[href*="/withdraw"]')
  await page.click('.language > summary')
  await press(page, 'button[value=de]')
  expect(await page.$eval('button[value=confirm]', (button) => button.textContent.trim())).toBe('Widerruf bestätigen')
  expect((await system.api('GET', `/v1/subscriptions/${order.subscription_id}`)).body.status).toBe('active')
  expect((await listDeclarations()).filter(({ order_id }: { order_id: string }) => order_id === order.id)).toEqual([])
})

test('a subscription is cancelled by its number and address without a sign-in, in the words of the language', async () => {
  await using visit = await openVisit(browser)
  const { page } = visit
  const { email, order } = await subscribe(page)
  await page.goto(`${root}/cancel?locale=de`)
  expect(await readText(page)).toContain('Verträge hier kündigen')
  await page.type('[name=name]', 'Ada Lovelace')
  await page.type('[name=email]', email)
  await page.type('[name=reference]', order.subscription_id)
  await press(page, 'button[value=check]')
  expect(await page.$eval('button[value=confirm]', (button) => button.textContent.trim())).toBe('Jetzt kündigen')
  await look(page, 'cancel-check')
  await press(page, 'button[value=confirm]')
  expect(await readText(page)).toContain('Ihre Kündigung ist eingegangen')
  expect((await system.api('GET', `/v1/subscriptions/${order.subscription_id}`)).body).toMatchObject({
    status: 'active',
    cancel_at_period_end: true,
  })
  await findMail(email, 'Ihre Kündigung ist eingegangen')
})

test('the consent to access at once is asked of consumers only, is not required, and ends the right of withdrawal', async () => {
  const price = { amount_type: 'fixed', price_amount: 500, price_currency: 'eur' }
  const product = await shop.sell(price, { name: 'Reader' })
  const benefit = await shop.create('/v1/benefits/', { type: 'custom', description: 'A book', properties: {} })
  await system.api('POST', `/v1/products/${product.id}/benefits`, { benefits: [benefit.id] })
  for (const isTicked of [false, true]) {
    const checkout = await shop.checkout({ products: [product.id] })
    await using visit = await openVisit(browser, { scripts: false })
    const { page } = visit
    await page.goto(checkout.url)
    await page.type('[name=customer_email]', `consumer-${crypto.randomUUID()}@example.com`)
    await page.type('[name=customer_name]', 'Ada Lovelace')
    await page.select('[name="customer_billing_address.country"]', 'DE')
    await press(page, 'button.without-scripts')
    expect(await page.$eval('[name=immediate_access_consent]', (box) => (box as unknown as { checked: boolean }).checked)).toBe(false)
    if (isTicked) await page.click('[name=immediate_access_consent]')
    await look(page, 'consent')
    await press(page, orderButton)
    expect(await readText(page)).toContain('Your order is paid.')
    const [order] = (await shop.orders(checkout)) as unknown as { withdrawal_until: string | null }[]
    expect(order?.withdrawal_until === null).toBe(isTicked)
  }
})
