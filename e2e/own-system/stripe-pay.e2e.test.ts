import { eventually } from '@quittance/testing/eventually'
import { startFakeStripe, type FakeAccount, type FakeStripe } from '@quittance/testing/stripe/fake-stripe'
import { startSystem, type StartedSystem } from '@quittance/testing/system'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { launchChromium, openVisit, press, readText, type Browser, type Page } from '../browser/chromium.ts'
import { look } from '../pages/look.ts'
import { sellAndDecline } from '../pages/portal-customers.ts'
import { openShop } from '../pages/shop.ts'
import { cardNumbers, connectStripe, endBankStep, reloadBankStep, typeCard } from '../stripe-browser.ts'

let fake: FakeStripe
let stripe: FakeAccount
let system: StartedSystem
let browser: Browser
let plan: { id: string }

beforeAll(async () => {
  fake = await startFakeStripe()
  stripe = fake.createAccount()
  const env = { PAYMENT_PROVIDERS: 'stripe', STRIPE_API_URL: fake.url, STRIPE_JS_URL: fake.scriptUrl }
  ;[system, browser] = await Promise.all([startSystem({ env }), launchChromium()])
  await connectStripe(system, { fake, stripe })
  const price = { amount_type: 'fixed', price_amount: 1_000, price_currency: 'eur' }
  plan = await openShop(system).sell(price, { name: 'Reading plan', recurring_interval: 'month' })
})
afterAll(() => Promise.all([browser.close(), system[Symbol.asyncDispose](), fake[Symbol.asyncDispose]()]))

/** Sells to a customer whose card is declined from the second payment on. */
const owe = () => sellAndDecline(system, plan, fake.buyer.createToken(stripe.id, 'pm_card_chargeCustomerFail'))
type Owing = Awaited<ReturnType<typeof owe>>

/** Lets cards that were stored so be declined while the buyer is present too. */
function declineStoredCards(): void {
  const { cards } = fake.state(stripe.id)
  for (const [id, card] of cards) if (card === 'pm_card_chargeCustomerFail') cards.set(id, 'pm_card_visa_chargeDeclined')
}

const button = '#pay button.primary'

async function openPayPage(page: Page, { url, owed }: Owing): Promise<string> {
  await page.goto(url)
  const portal = page.url().replace(/\?.*/, '')
  await page.goto(`${portal}/subscriptions/${owed.subscription_id}`)
  await press(page, 'a[href*="/pay"]')
  return portal
}

/** Chooses another card than the stored one. */
async function chooseCard(page: Page, number: string): Promise<void> {
  await page.click('input[name=payment_method_id][value=""]')
  await typeCard(page, { fake, number })
}

async function expectPaid(page: Page, { owed }: Owing): Promise<void> {
  expect(page.url()).toContain(`/subscriptions/${owed.subscription_id}?done=paid`)
  expect(await readText(page)).toContain('The order is paid.')
  expect((await system.api('GET', `/v1/orders/${owed.id}`)).body.status).toBe('paid')
  await eventually(async () => expect((await system.api('GET', `/v1/subscriptions/${owed.subscription_id}`)).body.status).toBe('active'))
  const succeeded = (await system.api('GET', `/v1/payments/?order_id=${owed.id}&status=succeeded`)).body.items
  expect(succeeded).toMatchObject([{ amount: 1_000 }])
}

describe.each([
  [390, 'light'],
  [1280, 'dark'],
] as const)('%i px wide, %s', (width, scheme) => {
  test('a declined stored card and a declined new one keep the form; another card pays, also later orders', async () => {
    const owing = await owe()
    await using visit = await openVisit(browser, { width, scheme })
    const { page, complaints } = visit
    await openPayPage(page, owing)
    declineStoredCards()
    await press(page, button)
    expect(await page.$eval('#field-payment_method_id-error', (error) => error.textContent)).toContain('The card was declined.')
    await look(page, `stripe-pay-${width}-stored-declined`)
    await chooseCard(page, cardNumbers.declined)
    await press(page, button)
    expect(await page.$eval('[data-payment-error]', (error) => error.textContent)).toContain('No money was taken')
    await typeCard(page, { fake, number: cardNumbers.visa })
    await look(page, `stripe-pay-${width}-form`)
    await press(page, button)
    await expectPaid(page, owing)
    const intent = [...fake.state(stripe.id).paymentIntents.values()].at(-1)
    expect(intent).toMatchObject({ amount: 1_000, status: 'succeeded', setup_future_usage: 'off_session' })
    expect(complaints).toEqual([])
  })

  test('the step of the bank opens, also after a reload, and then the order is paid', async () => {
    const owing = await owe()
    await using visit = await openVisit(browser, { width, scheme })
    const { page, complaints } = visit
    await openPayPage(page, owing)
    await chooseCard(page, cardNumbers.confirmedByBank)
    await press(page, button)
    expect(await readText(page)).toContain('Your bank wants to confirm this payment')
    await reloadBankStep(page, fake)
    await look(page, `stripe-pay-${width}-action`)
    await endBankStep(page, { fake, outcome: 'succeeds' })
    await expectPaid(page, owing)
    expect(complaints).toEqual([])
  })
})

test('a step of the bank that fails leads to the form, and another card pays once', async () => {
  const owing = await owe()
  await using visit = await openVisit(browser)
  const { page } = visit
  await openPayPage(page, owing)
  await chooseCard(page, cardNumbers.confirmedByBank)
  await press(page, button)
  await endBankStep(page, { fake, outcome: 'fails' })
  expect(await page.$eval('#errors', (element) => element.textContent)).toContain(
    'The step of your bank was not completed. No money was taken.',
  )
  await look(page, 'stripe-pay-step-failed')
  await chooseCard(page, cardNumbers.visa)
  await press(page, button)
  await expectPaid(page, owing)
})

test('an empty card form is named by Stripe and sends nothing; without scripts the page states what is missing', async () => {
  const owing = await owe()
  await using visit = await openVisit(browser)
  const { page, posts } = visit
  const portal = await openPayPage(page, owing)
  await chooseCard(page, '')
  await page.click(button)
  await eventually(async () =>
    expect(await page.$eval('[data-payment-error]', (error) => error.textContent)).toBe('Your card number is incomplete.'),
  )
  expect(posts).toEqual([])
  await page.setJavaScriptEnabled(false)
  await page.goto(`${portal}/orders/${owing.owed.id}/pay`)
  await page.click('input[name=payment_method_id][value=""]')
  expect(await readText(page)).toContain('This payment form needs scripts.')
  await look(page, 'stripe-pay-without-scripts')
  await press(page, button)
  expect(await page.$eval('#errors', (element) => element.textContent)).toContain('Choose how to pay.')
})

test('hosts of Stripe are in the policy of the page that pays, and in no other of the portal [pages 49]', async () => {
  const owing = await owe()
  await using visit = await openVisit(browser)
  const { page } = visit
  await page.goto(owing.url)
  const portal = page.url().replace(/\?.*/, '')
  const readPolicy = async (path: string) => (await page.goto(`${portal}${path}`))?.headers()['content-security-policy'] ?? ''
  const policy = await readPolicy(`/orders/${owing.owed.id}/pay`)
  for (const directive of ['script-src', 'connect-src', 'frame-src']) expect(policy).toMatch(new RegExp(`${directive} [^;]*${fake.url}`))
  expect(policy).not.toMatch(/unsafe-inline|unsafe-eval| \* | \*;/)
  for (const path of [`/orders/${owing.owed.id}`, `/subscriptions/${owing.owed.subscription_id}`, '/payment-methods'])
    expect(await readPolicy(path)).not.toContain(fake.url)
})

test('the page calls Stripe with keys of this installation only', () => {
  expect(fake.keysNotOurs()).toEqual([])
})
