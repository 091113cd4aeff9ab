import { eventually } from '@quittance/testing/eventually'
import { startFakeStripe, type FakeStripe } from '@quittance/testing/stripe/fake-stripe'
import { extractText, getDocumentProxy } from 'unpdf'
import { expect, test } from 'vitest'
import { findViolations, launchChromium, openVisit, press, readText, screenshot, type Browser, type Page } from '../browser/chromium.ts'
import { countryField, orderButton } from '../pages/shop.ts'
import { startPrinted, type PrintedSystem } from './npm-start.ts'

type PrintedLinks = PrintedSystem['links']

/** A walk of one person through the pages. */
interface Walk {
  browser: Browser
  links: PrintedLinks
  /** Prefix of the pictures. */
  name: string
  pay(page: Page): Promise<void>
}

const foreign = (requests: readonly string[]) => requests.filter((url) => !/^(https?:\/\/127\.0\.0\.1[:/]|data:|about:|blob:)/.test(url))

async function walk({ browser, links, name, pay }: Walk): Promise<void> {
  const email = `first-${crypto.randomUUID()}@example.com`
  await using visit = await openVisit(browser, { language: 'en' })
  const { page, requests, complaints } = visit
  const look = async (step: string) => {
    await screenshot(page, `five-minutes-${name}-${step}`)
    expect({ step, violations: await findViolations(page) }).toEqual({ step, violations: [] })
  }
  expect((await page.goto(links.start))?.status()).toBe(200)
  await look('1-start')
  const shown = await page.$$eval('section:last-of-type a', (all) => all.map((each) => each.href))
  expect(shown).toEqual([expect.stringContaining('/buy/'), new URL(links.portal).origin + new URL(links.portal).pathname, links.mailbox])
  await page.goto(shown[1] as string)
  expect(await page.$('[name=email]')).not.toBeNull()
  expect((await page.goto(shown[2] as string))?.status()).toBe(200)
  await page.goto(shown[0] as string)
  expect(await readText(page)).toMatch(/Library card[^]*\$12\.00 a month/)
  await page.type('[name=customer_email]', email)
  await page.type('[name=customer_name]', 'Grace Hopper')
  await page.select(countryField, 'DE')
  await pay(page)
  await look('2-checkout')
  expect(await page.$eval(orderButton, (button) => button.textContent.trim())).toBe('Order with obligation to pay')
  await press(page, orderButton)
  await eventually(async () => expect(await readText(page)).toContain('Your order is paid.'))
  await look('3-paid')
  await press(page, 'form[action$="/portal"] button[name=order]')
  await getInvoice(page)
  await look('4-invoice')
  await readReceipt(page, { mailbox: links.mailbox, email })
  await screenshot(page, `five-minutes-${name}-5-mail`)
  await signIn(browser, { links, email, name })
  expect(foreign(requests)).toEqual([])
  expect(complaints).toEqual([])
}

/** Asks for the invoice on the page of the order, and reads the document. */
async function getInvoice(page: Page): Promise<void> {
  await page.type('[name="billing_address.line1"]', 'Hafenstraße 1')
  await page.type('[name="billing_address.postal_code"]', '20095')
  await page.type('[name="billing_address.city"]', 'Hamburg')
  await press(page, 'button[value=invoice]')
  const download = await page.waitForSelector('a[href$="/invoice"]')
  const link = await download?.evaluate((each) => (each as unknown as { href: string }).href)
  const cookie = (await page.browserContext().cookies()).map((each) => `${each.name}=${each.value}`).join('; ')
  const document = await fetch(link ?? '', { headers: { cookie } })
  expect(document.headers.get('content-type')).toBe('application/pdf')
  const { text } = await extractText(await getDocumentProxy(new Uint8Array(await document.arrayBuffer())), { mergePages: true })
  for (const part of ['Library card', 'Grace Hopper', 'Hamburg']) expect(text).toContain(part)
}

/** Opens the receipt in the mailbox. */
async function readReceipt(page: Page, { mailbox, email }: { mailbox: string; email: string }): Promise<void> {
  const isReceipt = (links: { textContent: string | null; href: string }[], address: string) =>
    links.find(({ textContent }) => textContent?.includes(address) && textContent.includes('receipt'))?.href
  const link = await eventually(async () => {
    await page.goto(mailbox)
    const found = await page.$$eval('li a', isReceipt as never, email)
    if (!found) throw new Error('The receipt has not arrived')
    return found as string
  })
  await page.goto(link)
  expect(await page.$eval('pre', (text) => text.textContent)).toMatch(/Your subscription has started[^]*\$12\.00[^]*\/withdraw\?reference=/)
}

/** Another browser: the portal by a code from the mailbox. */
async function signIn(browser: Browser, { links, email, name }: { links: PrintedLinks; email: string; name: string }): Promise<void> {
  await using visit = await openVisit(browser, { language: 'en', width: 390 })
  const { page } = visit
  const mails = await page.browserContext().newPage()
  await page.goto(new URL(links.portal).origin + new URL(links.portal).pathname)
  await page.type('[name=email]', email)
  await press(page, 'button.primary')
  const code = await eventually(async () => {
    await mails.goto(links.mailbox)
    const found = await mails.$$eval(
      'li a',
      (all, address) => all.find(({ textContent }) => textContent.includes(address) && textContent.includes('code'))?.getAttribute('href'),
      email,
    )
    if (!found) throw new Error('The code has not arrived')
    await mails.goto(new URL(found, links.mailbox).href)
    return /\b[2-9A-Z]{3}-[2-9A-Z]{3}\b/.exec(await mails.$eval('pre', (text) => text.textContent ?? ''))?.[0] as string
  })
  await page.bringToFront()
  await page.type('[name=code]', code)
  await press(page, 'button.primary')
  expect(await readText(page)).toMatch(/Library card[^]*Active/)
  await screenshot(page, `five-minutes-${name}-6-portal`)
}

async function connectStripe(system: PrintedSystem, fake: FakeStripe): Promise<void> {
  const stripe = fake.createAccount()
  const demo = system.demo()
  const baseUrl = new URL(system.links.start).origin
  const connected = await fetch(`${baseUrl}/v1/payment-accounts/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${demo.personal_access_token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      provider: 'stripe',
      mode: 'test',
      organization_id: demo.organization.id,
      secret_key: stripe.apiKey,
      publishable_key: stripe.publishableKey,
      webhook_secret: stripe.webhookSecret,
    }),
  })
  const { events_path: path } = (await connected.json()) as { events_path: string }
  fake.webhooks.addEndpoint({ account: stripe.id, url: `${baseUrl}${path}`, secrets: [stripe.webhookSecret] })
}

test('from the start to a paid, invoiced, mailed subscription in five minutes, through the pages alone and on this machine only [pages 112] [pages 113]', async () => {
  const started = Date.now()
  await using system = await startPrinted()
  const browser = await launchChromium()
  try {
    const { links } = system
    for (const link of Object.values(links)) {
      await using visit = await openVisit(browser)
      expect({ link, status: (await visit.page.goto(link))?.status() }).toEqual({ link, status: 200 })
    }
    await walk({ browser, links, name: 'sandbox', pay: (page) => page.click('[name=confirmation_token_id][value=ctoken_ok]') })
    expect(Date.now() - started).toBeLessThan(300_000)
  } finally {
    await browser.close()
  }
})

test('the same with a card at Stripe', async () => {
  await using fake = await startFakeStripe()
  const env = { PAYMENT_PROVIDERS: 'stripe', STRIPE_API_URL: fake.url, STRIPE_JS_URL: fake.scriptUrl }
  await using system = await startPrinted(env)
  const browser = await launchChromium()
  try {
    await connectStripe(system, fake)
    const typeCard = async (page: Page) => {
      const frame = await eventually(() => {
        const found = page.frames().find((each) => each.url() === `${fake.url}/browser/form`)
        if (!found) throw new Error('The form of Stripe is not there')
        return found
      })
      await (await frame.waitForSelector('[name=number]'))?.type('4242 4242 4242 4242')
    }
    await walk({ browser, links: system.links, name: 'stripe', pay: typeCard })
    expect(fake.keysNotOurs()).toEqual([])
  } finally {
    await browser.close()
  }
})
