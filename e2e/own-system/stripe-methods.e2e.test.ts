import { eventually } from '@quittance/testing/eventually'
import { startFakeStripe, type FakeAccount, type FakeStripe } from '@quittance/testing/stripe/fake-stripe'
import { startSystem, type StartedSystem } from '@quittance/testing/system'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { launchChromium, openVisit, press, readText, type Browser, type Page } from '../browser/chromium.ts'
import { look } from '../pages/look.ts'
import { openShop } from '../pages/shop.ts'
import { cardNumbers, connectStripe, endBankStep, findStripeFrame, reloadBankStep, typeCard } from '../stripe-browser.ts'

let fake: FakeStripe
let stripe: FakeAccount
let system: StartedSystem
let browser: Browser

beforeAll(async () => {
  fake = await startFakeStripe()
  stripe = fake.createAccount()
  const env = { PAYMENT_PROVIDERS: 'stripe', STRIPE_API_URL: fake.url, STRIPE_JS_URL: fake.scriptUrl }
  ;[system, browser] = await Promise.all([startSystem({ env }), launchChromium()])
  await connectStripe(system, { fake, stripe })
})
afterAll(() => Promise.all([browser.close(), system[Symbol.asyncDispose](), fake[Symbol.asyncDispose]()]))

const button = '#add button.primary'

/** Opens the portal of a new customer, and returns its address. */
async function openPortal(page: Page): Promise<string> {
  const shop = openShop(system)
  const billing_address = { country: 'DE', postal_code: '10115' }
  const customer = await shop.create('/v1/customers/', { email: `${crypto.randomUUID()}@example.com`, name: 'Lib Rary', billing_address })
  const session = await shop.create<{ customer_portal_url: string }>('/v1/customer-sessions/', { customer_id: customer.id })
  await page.goto(session.customer_portal_url)
  return page.url().replace(/\?.*/, '')
}

async function openForm(page: Page): Promise<string> {
  const portal = await openPortal(page)
  await press(page, 'a[href*="/payment-methods"]')
  await press(page, 'a[href*="/add"]')
  return portal
}

const findSetup = () => [...fake.state(stripe.id).setupIntents.values()].at(-1)

async function expectStored(page: Page): Promise<void> {
  expect(page.url()).toContain('/payment-methods?done=default')
  expect(await readText(page)).toMatch(/stored and is the default\.[^]*Visa •••• 4242[^]*Default/)
  expect(findSetup()).toMatchObject({ status: 'succeeded', usage: 'off_session' })
  expect(fake.moneyMoved(stripe.id)).toEqual({})
}

describe.each([
  [390, 'light'],
  [1280, 'dark'],
] as const)('%i px wide, %s', (width, scheme) => {
  test('a declined card keeps the form, and another one is stored without a payment', async () => {
    await using visit = await openVisit(browser, { width, scheme })
    const { page, complaints } = visit
    await openForm(page)
    await typeCard(page, { fake, number: cardNumbers.declined })
    await look(page, `stripe-method-${width}-form`)
    await press(page, button)
    expect(await page.$eval('[data-payment-error]', (error) => error.textContent)).toContain('The payment method was not accepted.')
    await look(page, `stripe-method-${width}-declined`)
    await typeCard(page, { fake, number: cardNumbers.visa })
    await press(page, button)
    await expectStored(page)
    expect(complaints).toEqual([])
  })

  test('the step of the bank opens, also after a reload, and then the card is stored', async () => {
    await using visit = await openVisit(browser, { width, scheme })
    const { page, complaints } = visit
    await openForm(page)
    await typeCard(page, { fake, number: cardNumbers.confirmedByBank })
    await press(page, button)
    expect(await readText(page)).toContain('Your bank wants to confirm this payment method')
    await reloadBankStep(page, fake)
    await look(page, `stripe-method-${width}-action`)
    await endBankStep(page, { fake, outcome: 'succeeds' })
    await expectStored(page)
    expect(complaints).toEqual([])
  })
})

test('a step of the bank that fails leads to the form, and another card is stored', async () => {
  await using visit = await openVisit(browser)
  const { page } = visit
  await openForm(page)
  await typeCard(page, { fake, number: cardNumbers.confirmedByBank })
  await press(page, button)
  await endBankStep(page, { fake, outcome: 'fails' })
  expect(await page.$eval('#errors', (element) => element.textContent)).toContain('The step of your bank was not completed.')
  await typeCard(page, { fake, number: cardNumbers.visa })
  await press(page, button)
  await expectStored(page)
})

test.each([
  ['succeeds', /stored and is the default/],
  ['fails', /The payment method was not accepted/],
] as const)('a buyer who comes back from the page of a bank that %s sees the result', async (outcome, text) => {
  await using visit = await openVisit(browser)
  const { page } = visit
  const portal = await openForm(page)
  await typeCard(page, { fake, number: cardNumbers.confirmedByBank })
  await press(page, button)
  await findStripeFrame(page, { fake, path: '/browser/action' })
  const setup = findSetup()
  expect(setup?.automatic_payment_methods).toMatchObject({ enabled: true, allow_redirects: 'always' })
  fake.buyer.completeAction(stripe.id, setup?.id ?? '', outcome)
  // Stripe adds its own parameters to the address of the confirmation; the result is read at the API.
  await page.goto(`${portal}/payment-methods/add?step=completed&locale=en&setup_intent=seti_x&redirect_status=succeeded`)
  expect(await readText(page)).toMatch(text)
  await page.goto(`${portal}/payment-methods/add?step=completed&locale=en`)
  expect(page.url()).toBe(`${portal}/payment-methods?locale=en`)
})

test('an empty card form sends nothing; without scripts the page states what is missing', async () => {
  await using visit = await openVisit(browser)
  const { page, posts } = visit
  const portal = await openForm(page)
  await findStripeFrame(page, { fake, path: '/browser/form' }).then((frame) => frame.waitForSelector('[name=number]'))
  await page.click(button)
  await eventually(async () =>
    expect(await page.$eval('[data-payment-error]', (error) => error.textContent)).toBe('Your card number is incomplete.'),
  )
  expect(posts).toEqual([])
  await page.setJavaScriptEnabled(false)
  await page.goto(`${portal}/payment-methods/add`)
  expect(await readText(page)).toContain('This payment form needs scripts.')
  await look(page, 'stripe-method-without-scripts')
  await press(page, button)
  expect(await page.$eval('#errors', (element) => element.textContent)).toContain('Enter a payment method.')
})

test('hosts of Stripe are in the policy of the page that stores a method, and not in that of the list [pages 49]', async () => {
  await using visit = await openVisit(browser)
  const { page } = visit
  const portal = await openPortal(page)
  const readPolicy = async (path: string) => (await page.goto(`${portal}${path}`))?.headers()['content-security-policy'] ?? ''
  const policy = await readPolicy('/payment-methods/add')
  for (const directive of ['script-src', 'connect-src', 'frame-src']) expect(policy).toMatch(new RegExp(`${directive} [^;]*${fake.url}`))
  expect(policy).not.toMatch(/unsafe-inline|unsafe-eval| \* | \*;/)
  expect(await readPolicy('/payment-methods')).not.toContain(fake.url)
})

test('the page calls Stripe with keys of this installation only', () => {
  expect(fake.keysNotOurs()).toEqual([])
})
