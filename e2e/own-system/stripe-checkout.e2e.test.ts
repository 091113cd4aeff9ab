import { eventually } from '@quittance/testing/eventually'
import { startFakeStripe, type FakeAccount, type FakeStripe } from '@quittance/testing/stripe/fake-stripe'
import { startSystem, type StartedSystem } from '@quittance/testing/system'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { launchChromium, openVisit, press, readText, setValue, type Browser, type Page } from '../browser/chromium.ts'
import { look as lookAt } from '../pages/look.ts'
import { countryField, openShop, orderButton, type Checkout, type Shop } from '../pages/shop.ts'
import { cardNumbers, connectAccount, connectStripe, endBankStep, findStripeFrame, typeCard } from '../stripe-browser.ts'

let fake: FakeStripe
let stripe: FakeAccount
let system: StartedSystem
let browser: Browser
let shop: Shop
/** Policy of a checkout before its seller had an account at Stripe. */
let policyBefore: string

beforeAll(async () => {
  fake = await startFakeStripe()
  stripe = fake.createAccount()
  const env = { PAYMENT_PROVIDERS: 'stripe,bank_transfer', STRIPE_API_URL: fake.url, STRIPE_JS_URL: fake.scriptUrl }
  ;[system, browser] = await Promise.all([startSystem({ env }), launchChromium()])
  shop = openShop(system)
  policyBefore = await readPolicy(await shop.checkout())
  await connectStripe(system, { fake, stripe })
})
afterAll(() => Promise.all([browser.close(), system[Symbol.asyncDispose](), fake[Symbol.asyncDispose]()]))

async function readPolicy({ url }: Checkout): Promise<string> {
  return (await fetch(url)).headers.get('content-security-policy') ?? ''
}

const { visa, confirmedByBank, declined } = cardNumbers

const findFrame = (page: Page, path: '/browser/form' | '/browser/action') => findStripeFrame(page, { fake, path })

async function fillIn(page: Page, { url }: Checkout, number: string): Promise<void> {
  await page.goto(url)
  await page.type('[name=customer_email]', `stripe-${crypto.randomUUID()}@example.com`)
  await page.type('[name=customer_name]', 'Grace Hopper')
  await page.select(countryField, 'GB')
  await typeCard(page, { fake, number })
}

const look = (page: Page, name: string) => lookAt(page, `stripe-${name}`)

test('hosts of Stripe are in the policy of checkouts that it pays, and in no other [pages 49]', async () => {
  expect(policyBefore).not.toContain(fake.url)
  const policy = await readPolicy(await shop.checkout())
  for (const directive of ['script-src', 'connect-src', 'frame-src']) {
    expect(policy).toMatch(new RegExp(`${directive} [^;]*${fake.url}`))
  }
  expect(policy).not.toMatch(/unsafe-inline|unsafe-eval| \* | \*;/)
  const { origin } = new URL((await shop.checkout()).url)
  const start = await fetch(`${origin}/`, { headers: { accept: 'text/html' } })
  expect(start.headers.get('content-security-policy')).not.toContain(fake.url)
})

describe.each([
  [390, 'light'],
  [1280, 'dark'],
] as const)('%i px wide, %s', (width, scheme) => {
  test('a buyer pays with a card on the page', async () => {
    const checkout = await shop.checkout()
    await using visit = await openVisit(browser, { width, scheme })
    const { page, complaints } = visit
    await fillIn(page, checkout, visa)
    await look(page, `form-${width}`)
    await press(page, orderButton)
    expect(await readText(page)).toContain('Your order is paid.')
    expect(await shop.orders(checkout)).toMatchObject([{ status: 'paid', total_amount: 4900 }])
    expect(complaints).toEqual([])
  })

  test('the step of the bank opens by itself, and again on request; then the order is paid', async () => {
    const checkout = await shop.checkout()
    await using visit = await openVisit(browser, { width, scheme })
    const { page, complaints } = visit
    await fillIn(page, checkout, confirmedByBank)
    await press(page, orderButton)
    expect(await readText(page)).toContain('Your bank wants to confirm this payment')
    const action = await findFrame(page, '/browser/action')
    await action.waitForSelector('[data-ready]')
    await look(page, `action-${width}`)
    await endBankStep(page, { fake, outcome: 'succeeds' })
    await eventually(async () => expect(await readText(page)).toContain('Your order is paid.'))
    expect(complaints).toEqual([])
  })
})

test('a step of the bank that fails leads to the filled form, and another card pays', async () => {
  const checkout = await shop.checkout()
  await using visit = await openVisit(browser)
  const { page } = visit
  await fillIn(page, checkout, confirmedByBank)
  await press(page, orderButton)
  await endBankStep(page, { fake, outcome: 'fails' })
  // A page that is shown before the result is known loads again.
  const errors = await page.waitForSelector('#errors')
  expect(await errors?.evaluate((element) => element.textContent)).toContain('No money was taken')
  expect(await page.$eval('[name=customer_name]', (field) => (field as unknown as { value: string }).value)).toBe('Grace Hopper')
  await typeCard(page, { fake, number: visa })
  await press(page, orderButton)
  expect(await readText(page)).toContain('Your order is paid.')
  expect((await shop.orders(checkout)).filter(({ status }) => status === 'paid')).toHaveLength(1)
})

test('a declined card and a missing name keep the page with what was typed; the next try pays once', async () => {
  const checkout = await shop.checkout()
  await using visit = await openVisit(browser)
  const { page, complaints } = visit
  await fillIn(page, checkout, declined)
  await setValue(page, '[name=customer_name]', '')
  await eventually(async () => {
    // A total that arrives late moves the page, and a click may miss.
    await page.click(orderButton)
    expect(await page.$eval(':focus', (field) => (field as unknown as { name: string }).name)).toBe('customer_name')
  })
  await page.type('[name=customer_name]', 'Grace Hopper')
  // Without the position of the button, which the total may still move.
  await page.$eval(orderButton, (button) => (button as unknown as { click(): void }).click())
  await page.waitForSelector('#errors')
  expect(await page.$eval('[data-payment-error]', (error) => error.textContent)).toContain('No money was taken')
  expect(await page.title()).toMatch(/^Error: /)
  await look(page, 'declined')
  // The form of Stripe was not replaced.
  const frame = await findFrame(page, '/browser/form')
  expect(await frame.$eval('[name=number]', (field) => (field as unknown as { value: string }).value)).toBe(declined)
  await typeCard(page, { fake, number: visa })
  await press(page, orderButton)
  expect(await readText(page)).toContain('Your order is paid.')
  expect((await shop.orders(checkout)).filter(({ status }) => status === 'paid')).toHaveLength(1)
  expect(complaints).toEqual([])
})

test('a new total keeps the card that was typed, and is the one that is charged', async () => {
  await shop.create('/v1/tax-rates/', { country: 'NZ', name: 'GST', percentage: 15 })
  const monthly = await shop.sell(
    { amount_type: 'fixed', price_amount: 1000, price_currency: 'usd' },
    { name: 'Library card', recurring_interval: 'month' },
  )
  const checkout = await shop.checkout({ products: [monthly.id] })
  await using visit = await openVisit(browser)
  const { page } = visit
  await fillIn(page, checkout, visa)
  await page.select(countryField, 'NZ')
  await eventually(async () => expect(await page.$eval('#announcement', (element) => element.textContent)).toBe('Total $11.50'))
  const frame = await findFrame(page, '/browser/form')
  expect(await frame.$eval('[name=number]', (field) => (field as unknown as { value: string }).value)).toBe(visa)
  await press(page, orderButton)
  expect(await readText(page)).toContain('Your order is paid.')
  const intents = [...fake.state(stripe.id).paymentIntents.values()]
  expect(intents.at(-1)).toMatchObject({ amount: 1150, status: 'succeeded', setup_future_usage: 'off_session' })
})

test('an empty card form is named by Stripe, and nothing is sent', async () => {
  const checkout = await shop.checkout()
  await using visit = await openVisit(browser)
  const { page, posts } = visit
  await fillIn(page, checkout, '')
  await page.click(orderButton)
  await eventually(async () =>
    expect(await page.$eval('[data-payment-error]', (error) => error.textContent)).toBe('Your card number is incomplete.'),
  )
  expect(posts.filter((body) => body.includes('intent=order'))).toEqual([])
})

test('without scripts, or without the script of Stripe, the page states what is missing', async () => {
  const checkout = await shop.checkout()
  await using plain = await openVisit(browser, { scripts: false })
  await plain.page.goto(checkout.url)
  expect(await readText(plain.page)).toContain('This payment form needs scripts.')
  await look(plain.page, 'without-scripts')
  await using blocked = await openVisit(browser)
  await blocked.page.setRequestInterception(true)
  blocked.page.on('request', (request) => void (request.url().startsWith(fake.url) ? request.abort() : request.continue()))
  await blocked.page.goto(checkout.url)
  await eventually(async () => expect(await readText(blocked.page)).toContain('The payment form could not be loaded.'))
  await look(blocked.page, 'not-loaded')
})

/** Chooses a way to pay. A total that arrives late moves the page, and a click may miss. */
async function choose(page: Page, selector: string): Promise<void> {
  await eventually(async () => {
    await page.click(selector)
    expect(await page.$(`${selector}:checked`)).not.toBeNull()
  })
}

test('a transfer can be chosen beside the card, also without scripts, and the card still pays [pages 47]', async () => {
  const bank = { beneficiary: 'Harbour Books Ltd', iban: 'DE89370400440532013000', bic: 'COBADEFFXXX', currency: 'eur' }
  await connectAccount(system, { provider: 'bank_transfer', mode: 'test', bank })
  const product = await shop.sell({ amount_type: 'fixed', price_amount: 4200, price_currency: 'eur' }, { name: 'Almanac' })
  const transfer = '[name=confirmation_token_id][value=bank_transfer]'
  for (const scripts of [true, false]) {
    const checkout = await shop.checkout({ products: [product.id] })
    await using visit = await openVisit(browser, { scripts, width: scripts ? 390 : 1280 })
    const { page, complaints } = visit
    if (scripts) await fillIn(page, checkout, '')
    else {
      await page.goto(checkout.url)
      await page.type('[name=customer_email]', `stripe-${crypto.randomUUID()}@example.com`)
      await page.type('[name=customer_name]', 'Grace Hopper')
      await page.select(countryField, 'GB')
    }
    await choose(page, transfer)
    expect(await page.$eval('.provider-form', (place) => (place as unknown as { offsetHeight: number }).offsetHeight)).toBe(0)
    await look(page, `beside-transfer-${scripts}`)
    await press(page, orderButton)
    expect(await readText(page)).toMatch(/Send the money[^]*€42\.00[^]*DE89 3704 0044 0532 0130 00/)
    expect(await shop.orders(checkout)).toMatchObject([{ status: 'pending', total_amount: 4200 }])
    expect(complaints).toEqual([])
  }
  const checkout = await shop.checkout({ products: [product.id] })
  await using visit = await openVisit(browser)
  const { page } = visit
  await fillIn(page, checkout, visa)
  await choose(page, transfer)
  await choose(page, '[name=confirmation_token_id][value=""]')
  await look(page, 'beside-card')
  await press(page, orderButton)
  expect(await readText(page)).toContain('Your order is paid.')
})

test('the page calls Stripe with keys of this installation only', () => {
  expect(fake.keysNotOurs()).toEqual([])
})
