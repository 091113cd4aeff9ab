import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { eventually } from '@quittance/testing/eventually'
import { freePorts } from '@quittance/testing/engines/free-ports'
import type { RunningSystem } from '@quittance/testing/system'
import { useSharedSystem } from '@quittance/testing/use-shared-system'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findViolations, launchChromium, openVisit, readText, screenshot, type Browser, type Page } from '../browser/chromium.ts'
import { countryField, openShop, orderButton, type Checkout, type Shop } from './shop.ts'

type Frame = ReturnType<Page['mainFrame']>

let system: RunningSystem
let browser: Browser
let shop: Shop
/** Site of the seller: another site than the pages, so that the frame gets no cookies. */
let site: string
let other: string
let pages: string
const published = readFileSync(join(import.meta.dirname, 'published-embed.txt'), 'utf8')

/** What a page of the seller contains; set by each test. */
let content = ''
const server = createServer((request, response) => {
  const isScript = request.url === '/published.js'
  const trusted = published.replaceAll('https://polar.sh,https://sandbox.polar.sh', pages)
  response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html; charset=utf-8')
  response.end(
    isScript ? trusted : `<!doctype html><html lang="en"><title>Shop</title><body><main><h1>Shop</h1>${content}</main></body></html>`,
  )
})

beforeAll(async () => {
  ;[system, browser] = await Promise.all([useSharedSystem(), launchChromium()])
  shop = openShop(system)
  const [port = 0] = await freePorts(1)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  pages = new URL((await shop.checkout()).url).origin
  site = `http://localhost:${port}`
  other = `http://127.0.0.1:${port}`
})
afterAll(async () => {
  await browser.close()
  server.closeAllConnections()
  server.close()
})

/** Notes every message that the page of the seller gets, and listens like it. */
const listen = `<script>var messages = []; addEventListener('message', ({ data, origin }) => messages.push({ ...data, origin }))</script>`
const ourScript = () => `<script src="${pages}/embed/checkout.js" data-auto-init></script>`
const link = ({ url }: Checkout, attributes = '') => `<a id="buy" href="${url}" data-polar-checkout ${attributes}>Buy</a>`

interface ReceivedMessage {
  event: string
  origin: string
  successURL?: string
  redirect?: boolean
}
const readMessages = (page: Page) => page.evaluate('messages') as Promise<ReceivedMessage[]>
const events = async (page: Page) => (await readMessages(page)).map(({ event }) => event)

/** Returns the frame of the checkout once its page shows an element. */
async function findCheckout(page: Page, selector: string = orderButton): Promise<Frame> {
  let found: Frame | undefined
  await eventually(async () => {
    const frames: Frame[] = page.frames()
    found = frames.slice(1).find((frame: Frame): boolean => frame.url().startsWith(pages))
    if (!(await found?.$(selector))) throw new Error(`The frame shows no ${selector}`)
  })
  return found as Frame
}

async function order(page: Page, token = 'ctoken_ok'): Promise<void> {
  const frame = await findCheckout(page)
  await frame.type('[name=customer_email]', `frame-${crypto.randomUUID()}@example.com`)
  await frame.type('[name=customer_name]', 'Grace Hopper')
  await frame.select(countryField, 'GB')
  await frame.click(`[name=confirmation_token_id][value=${token}]`)
  await frame.click(orderButton)
}

test('without a stored origin a checkout is not framed, and a rejected frame leads to the whole page in 8 seconds [pages 53] [pages 59]', async () => {
  const closed = await shop.checkout()
  content = ourScript() + link(closed)
  await using visit = await openVisit(browser)
  const { page } = visit
  await page.goto(`${site}/`)
  await page.click('#buy')
  await page.waitForFunction(`!!document.querySelector('iframe')`)
  const started = Date.now()
  await eventually(() => expect(page.url()).toBe(closed.url), { withinMs: 15_000 })
  expect(Date.now() - started).toBeLessThan(10_000)
  expect(await readText(page)).toContain('Reading room, one year')
  // The origin in the address is not the stored one.
  const elsewhere = await shop.checkout({ embed_origin: other })
  content = `<iframe src="${elsewhere.url}?embed=true&embed_origin=${site}"></iframe>`
  await page.goto(`${site}/`)
  // The browser shows its own page in the place of one that must not be framed.
  await eventually(() => expect(page.frames().map((frame) => frame.url())).toEqual([`${site}/`, 'chrome-error://chromewebdata/']))
})

describe.each([
  ['our script', 'own'],
  ['the published script', 'published'],
] as const)('%s', (_, kind) => {
  test('sells in a frame: loaded, confirmed, success; then the frame closes [pages 54] [pages 55] [pages 57] [pages 61]', async () => {
    const checkout = await shop.checkout({ embed_origin: `${site}/anything` })
    content = listen + (kind === 'own' ? ourScript() : '<script src="/published.js" data-auto-init></script>') + link(checkout)
    await using visit = await openVisit(browser, { language: 'en' })
    const { page, complaints } = visit
    await page.goto(`${site}/`)
    await page.click('#buy')
    await findCheckout(page)
    await order(page, 'ctoken_slow')
    await eventually(async () => expect(await events(page)).toEqual(['loaded', 'confirmed']))
    // In between nothing closes the frame.
    const processing = await findCheckout(page, '[data-poll]')
    await processing.click('[data-frame]')
    await eventually(async () => expect(await events(page)).toContain('close'))
    expect(await page.$('iframe')).not.toBeNull()
    const paid = await eventually(async () => {
      expect((await events(page)).filter((event) => event !== 'close')).toEqual(['loaded', 'confirmed', 'success'])
      return findCheckout(page, 'form[action$="/portal"]')
    })
    expect(await paid.$eval('main', (main) => main.textContent)).toContain('Your order is paid.')
    const messages = await readMessages(page)
    expect(new Set(messages.map(({ origin }) => origin))).toEqual(new Set([pages]))
    expect(messages.find(({ event }) => event === 'success')).toMatchObject({ redirect: false, successURL: `${checkout.url}/confirmation` })
    await screenshot(page, `embedded-${kind}`)
    // No cookie of the pages reached the frame of the other site.
    const cookies = await page.browserContext().cookies()
    expect(cookies.filter(({ name }) => name.includes('qt_'))).toEqual([])
    expect(await shop.orders(checkout)).toMatchObject([{ status: 'paid' }])
    await paid.click('[data-frame]')
    await eventually(async () => expect(await page.$('iframe')).toBeNull())
    expect(complaints).toEqual([])
  })
})

test('a success_url elsewhere is opened by the page of the seller, with the session; messages go to the stored origin alone [pages 56]', async () => {
  const checkout = await shop.checkout({ embed_origin: site, success_url: `${site}/done?checkout={CHECKOUT_ID}` })
  content = ourScript() + link(checkout)
  await using visit = await openVisit(browser)
  const { page } = visit
  await page.goto(`${site}/`)
  await page.click('#buy')
  await order(page)
  await eventually(() => expect(page.url()).toContain('/done'))
  expect(page.url()).toMatch(new RegExp(`/done\\?checkout=${checkout.id}&customer_session_token=qt_cst_`))
  // Another address in the query changes nothing about who gets messages.
  const second = await shop.checkout({ embed_origin: site })
  const framed = await (await fetch(`${second.url}?embed=true&embed_origin=https://evil.example`)).text()
  expect(framed).toContain(`data-frame="${site}"`)
  expect(framed).not.toContain('evil.example')
  const bare = await (await fetch(`${(await shop.checkout()).url}?embed=true&embed_origin=https://evil.example`)).text()
  expect(bare).not.toContain('data-frame=')
})

test('our frame has a title, Escape closes it, focus returns, and the theme of the seller wins [pages 58] [pages 60]', async () => {
  const checkout = await shop.checkout({ embed_origin: site })
  content = `<p><a href="#">Before</a></p>${listen}${ourScript()}${link(checkout, 'data-polar-checkout-theme="dark"')}`
  await using visit = await openVisit(browser, { scheme: 'light', language: 'en' })
  const { page } = visit
  await page.goto(`${site}/`)
  for (const place of ['page', 'frame']) {
    await page.focus('#buy')
    await page.keyboard.press('Enter')
    const frame = await findCheckout(page)
    await eventually(async () => expect((await events(page)).at(-1)).toBe('loaded'))
    expect(await page.$eval('iframe', (element) => element.getAttribute('title'))).toBe('Checkout')
    expect(await frame.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(22, 21, 20)')
    // The page behind takes no focus.
    expect(
      await page.evaluate('document.querySelector("a[href=\\"#\\"]").matches(":focus") || !document.querySelector("dialog:modal")'),
    ).toBe(false)
    expect(await findViolations(page)).toEqual([])
    if (place === 'frame') await frame.focus('[name=customer_email]')
    else await page.evaluate('document.querySelector("dialog").focus()')
    await page.keyboard.press('Escape')
    await eventually(async () => expect(await page.$('iframe')).toBeNull())
    expect(await page.evaluate('document.activeElement.id')).toBe('buy')
  }
})

test('from the frame the portal opens beside it, and does not replace the session of another customer [pages 61]', async () => {
  const checkout = await shop.checkout({ embed_origin: site })
  content = ourScript() + link(checkout)
  await using visit = await openVisit(browser, { language: 'en' })
  const { page } = visit
  await page.goto(`${site}/`)
  await page.click('#buy')
  await order(page)
  const paid = await findCheckout(page, 'form[action$="/portal"]')
  const carried = paid.url()
  const opened = new Promise<Page>((resolve) => page.once('popup', (popup) => resolve(popup as Page)))
  await paid.click('form[action$="/portal"] button:last-of-type')
  const portal = await opened
  await eventually(async () => expect(await readText(portal)).toContain('Reading room, one year'))
  // A link with the session of this sale, opened by another customer who is signed in.
  const session = await shop.create<{ customer_portal_url: string }>('/v1/customer-sessions/', { customer_id: system.demo.customer_id })
  await using victim = await openVisit(browser, { language: 'en' })
  await victim.page.goto(session.customer_portal_url)
  await victim.page.goto(carried)
  const planted = new Promise<Page>((resolve) => victim.page.once('popup', (popup) => resolve(popup as Page)))
  await victim.page.click('form[action$="/portal"] button:last-of-type')
  const asked = await planted
  await eventually(() => expect(asked.url()).toContain('/portal/choose'))
  // Without a stored origin nothing is carried.
  const closed = await shop.checkout()
  const foreign = carried.replace(/\/checkout\/[^/]+/, `/checkout/${closed.client_secret}`)
  expect(await (await fetch(foreign)).text()).not.toContain('/portal"')
})

test('a payment that is declined later brings the form back, and the frame can be closed again', async () => {
  const checkout = await shop.checkout({ embed_origin: site })
  content = listen + ourScript() + link(checkout)
  await using visit = await openVisit(browser)
  const { page } = visit
  await page.goto(`${site}/`)
  await page.click('#buy')
  await order(page, 'ctoken_declined_later')
  const frame = await findCheckout(page, `#errors`)
  expect(await frame.$eval('[name=customer_name]', (field) => (field as unknown as { value: string }).value)).toBe('Grace Hopper')
  await frame.click('[data-frame]')
  await eventually(async () => expect(await page.$('iframe')).toBeNull())
})

test.each([
  ['expired', `expires_at = now() - interval '1 minute'`, 'This checkout has expired'],
  ['failed', `status = 'failed'`, 'This checkout cannot be paid any more'],
  ['got another address', `client_secret = client_secret || 'x'`, 'There is no such page'],
])('a checkout that has %s while it is framed shows so, and the frame can be closed', async (_, change, title) => {
  const checkout = await shop.checkout({ embed_origin: site })
  content = listen + ourScript() + link(checkout)
  await using visit = await openVisit(browser, { language: 'en' })
  const { page } = visit
  await page.goto(`${site}/`)
  await page.click('#buy')
  const open = await findCheckout(page)
  await system.rows('orders', `update checkouts set ${change} where id = $1`, [checkout.id])
  await open.select(countryField, 'GB')
  const ended = await findCheckout(page, '.card.narrow')
  expect(await ended.$eval('h1', (heading) => heading.textContent)).toBe(title)
  await ended.click('[data-frame]')
  await eventually(async () => expect(await page.$('iframe')).toBeNull())
})

test('the script is small, and may be loaded by every site', async () => {
  const response = await fetch(`${pages}/embed/checkout.js`)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=300',
    'cross-origin-resource-policy': 'cross-origin',
  })
  expect((await response.text()).length).toBeLessThan(6_000)
})
