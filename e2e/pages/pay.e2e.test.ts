import { eventually } from '@quittance/testing/eventually'
import { callApi, type RunningSystem } from '@quittance/testing/system'
import { useSharedSystem } from '@quittance/testing/use-shared-system'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { waitForMailedCode, waitForMailedLink } from '../mailed-codes.ts'
import { launchChromium, openVisit, press, readText, type Browser, type Page } from '../browser/chromium.ts'
import { look } from './look.ts'
import { sellAndDecline, sellToCustomer } from './portal-customers.ts'
import { openShop } from './shop.ts'

let system: RunningSystem
let browser: Browser
let plan: { id: string }
beforeAll(async () => {
  ;[system, browser] = await Promise.all([useSharedSystem(), launchChromium()])
  const price = { amount_type: 'fixed', price_amount: 1_000, price_currency: 'eur' }
  plan = await openShop(system).sell(price, { name: 'Reading plan', recurring_interval: 'month' })
})
afterAll(() => browser.close())

type Owing = Awaited<ReturnType<typeof sellAndDecline>>

const button = '#pay button.primary'

/** Calls the API with the session of the customer. */
const callAs =
  ({ token }: Owing) =>
  (method: string, path: string, body?: object) =>
    callApi(`${system.readReadyFile().base_url}/v1/customer-portal${path}`, { method, token, body })

const methodsPath = '/customers/me/payment-methods'

/** Stores a second method, which is not the default, and returns its id. */
async function storeMethod(owing: Owing): Promise<string> {
  const stored = await callAs(owing)('POST', methodsPath, {
    confirmation_token_id: 'ctoken_ok',
    set_default: false,
    return_url: 'https://example.com',
  })
  expect(stored).toMatchObject({ status: 201 })
  return (stored.body as { id: string }).id
}

/** Opens the portal, and the subscription that is past due. */
async function openSubscription(page: Page, { url, owed }: Owing): Promise<string> {
  await page.goto(url)
  const portal = page.url().replace(/\?.*/, '')
  await page.goto(`${portal}/subscriptions/${owed.subscription_id}`)
  return portal
}

async function expectPaid({ owed }: Owing): Promise<void> {
  await eventually(async () => {
    expect((await system.api('GET', `/v1/orders/${owed.id}`)).body.status).toBe('paid')
    expect((await system.api('GET', `/v1/subscriptions/${owed.subscription_id}`)).body.status).toBe('active')
  })
}

const countPayments = async ({ owed }: Owing) =>
  ((await system.api('GET', `/v1/payments/?order_id=${owed.id}`)).body.items as { status: string }[]).map(({ status }) => status)

describe.each([
  ['with scripts', 390, true, 'light'],
  ['without scripts', 1280, false, 'dark'],
] as const)('%s, %i px wide', (...[, width, scripts, scheme]) => {
  test('what is owed is paid with a stored method; one that was removed since keeps the form', async () => {
    const owing = await sellAndDecline(system, plan)
    const second = await storeMethod(owing)
    await using visit = await openVisit(browser, { width, scripts, scheme })
    const { page, complaints } = visit
    const portal = await openSubscription(page, owing)
    await look(page, `pay-${width}-${scheme}-subscription`)
    await press(page, 'a[href*="/pay"]')
    expect(await readText(page)).toMatch(
      /Pay what is owed[^]*Reading plan[^]*€10\.00[^]*How do you want to pay\?[^]*Another card[^]*Pay €10\.00/,
    )
    await look(page, `pay-${width}-${scheme}-form`)
    await page.click(`input[value="${second}"]`)
    expect((await callAs(owing)('DELETE', `${methodsPath}/${second}`)).status).toBe(204)
    await press(page, button)
    expect(await page.title()).toMatch(/^Error: /)
    expect(await page.$eval('#errors', (element) => element.textContent)).toContain('This payment method cannot be used any more.')
    await look(page, `pay-${width}-${scheme}-removed`)
    await press(page, button)
    expect(page.url()).toContain(`${portal}/subscriptions/${owing.owed.subscription_id}?done=paid`)
    const text = await readText(page)
    expect(text).toContain('The order is paid.')
    expect(text).not.toContain('Pay now')
    await look(page, `pay-${width}-${scheme}-paid`)
    await expectPaid(owing)
    expect(complaints).toEqual([])
  })

  test('what is owed is paid with another test card, after one that is declined', async () => {
    const owing = await sellAndDecline(system, plan)
    await using visit = await openVisit(browser, { width, scripts, scheme })
    const { page, complaints } = visit
    const portal = await openSubscription(page, owing)
    await page.goto(`${portal}/orders/${owing.owed.id}`)
    await press(page, 'a[href*="/pay"]')
    const isShown = () => page.$eval('.new-card', (part) => (part as unknown as { offsetHeight: number }).offsetHeight > 0)
    expect(await isShown()).toBe(false)
    await page.click('input[name=payment_method_id][value=""]')
    expect(await isShown()).toBe(true)
    expect(await readText(page)).toContain('Test: no money moves.')
    await page.click('input[value=ctoken_insufficient_funds]')
    await press(page, button)
    expect(await page.$eval('.new-card .error', (element) => element.textContent)).toContain('The card was declined.')
    await look(page, `pay-${width}-${scheme}-card-declined`)
    await page.click('input[value=ctoken_ok]')
    await press(page, button)
    expect(await readText(page)).toContain('The order is paid.')
    await expectPaid(owing)
    expect((await countPayments(owing)).filter((status) => status === 'succeeded')).toHaveLength(1)
    expect(complaints).toEqual([])
  })
})

test('a payment in progress is named, and a second try starts no other', async () => {
  const owing = await sellAndDecline(system, plan)
  await using visit = await openVisit(browser, { scripts: false })
  const { page } = visit
  const portal = await openSubscription(page, owing)
  const tries = []
  for (const token of ['ctoken_pending', 'ctoken_ok']) {
    await page.goto(`${portal}/orders/${owing.owed.id}/pay`)
    await page.click('input[name=payment_method_id][value=""]')
    await page.click(`input[value=${token}]`)
    await press(page, button)
    expect(page.url()).toContain('?done=paying')
    expect(await readText(page)).toContain('The payment has not ended yet.')
    tries.push((await countPayments(owing)).length)
  }
  expect(tries[1]).toBe(tries[0])
})

test('a form that is sent twice pays once, and both replies lead to the paid order', async () => {
  const owing = await sellAndDecline(system, plan)
  await using visit = await openVisit(browser)
  const { page } = visit
  const portal = await openSubscription(page, owing)
  await page.goto(`${portal}/orders/${owing.owed.id}/pay`)
  const before = (await countPayments(owing)).length
  const send = `(() => {
    const form = document.querySelector('#pay')
    const body = () => new URLSearchParams(new FormData(form))
    return Promise.all([1, 2].map(async () => (await fetch(form.action, { method: 'POST', body: body() })).url))
  })()`
  for (const url of (await page.evaluate(send)) as string[]) expect(url).toContain('?done=paid')
  expect(await countPayments(owing)).toHaveLength(before + 1)
})

test('an order that is not owed leads back, and the order of another customer is the same page as none', async () => {
  const [owing, other] = [await sellAndDecline(system, plan), await sellToCustomer(system, plan)]
  await using visit = await openVisit(browser, { scripts: false })
  const { page } = visit
  await page.goto(other.url)
  const portal = page.url().replace(/\?.*/, '')
  const read = async (id: string) => {
    const response = await page.goto(`${portal}/orders/${id}/pay`)
    return [response?.status(), await readText(page)]
  }
  expect(await read(owing.owed.id)).toEqual(await read('00000000-0000-4000-8000-000000000000'))
  expect((await read(owing.owed.id))[0]).toBe(404)
  await page.goto(`${portal}/orders/${other.order.id}`)
  expect(await page.$$('a[href*="/pay"]')).toEqual([])
  await page.goto(`${portal}/orders/${other.order.id}/pay`)
  expect(page.url()).toBe(`${portal}/orders/${other.order.id}?locale=en`)
})

test('without a session the page asks for the address, and leads to the payment afterwards', async () => {
  const { demo } = system
  const origin = new URL((await openShop(system).checkout()).url).origin
  const order = '00000000-0000-4000-8000-000000000000'
  const response = await fetch(`${origin}/${demo.organization.slug}/portal/orders/${order}/pay`)
  expect(response.status).toBe(401)
  expect(await response.text()).toContain(`value="/orders/${order}/pay"`)
})

test('the mail of a failed payment leads to the page that pays, after the sign-in', async () => {
  const owing = await sellAndDecline(system, plan)
  const { base_url: baseUrl } = system.readReadyFile()
  const link = await waitForMailedLink(baseUrl, owing.email, /\/pay$/)
  await using visit = await openVisit(browser, { scripts: false })
  const { page } = visit
  expect((await page.goto(link))?.status()).toBe(401)
  await page.type('[name=email]', owing.email)
  await press(page, 'button.primary')
  await page.type('[name=code]', await waitForMailedCode(baseUrl, owing.email))
  await press(page, 'button.primary')
  expect(page.url()).toContain(`/portal/orders/${owing.owed.id}/pay`)
  await page.click('input[name=payment_method_id][value=""]')
  await press(page, button)
  await expectPaid(owing)
  await page.goto(link)
  expect(page.url()).toContain(`/portal/subscriptions/${owing.owed.subscription_id}?`)
})

test('a subscription whose payment failed promises no access before and after it is cancelled', async () => {
  const owing = await sellAndDecline(system, plan)
  await using visit = await openVisit(browser, { scripts: false })
  const { page } = visit
  await openSubscription(page, owing)
  await press(page, 'a[href*="/cancel"]')
  const expectPaused = async () => {
    const text = await readText(page)
    expect(text).toContain('Once it succeeds, you have access until')
    expect(text).not.toMatch(/You keep access|Nothing more is charged/)
  }
  await expectPaused()
  await press(page, 'button[value=cancel]')
  expect(await readText(page)).toContain('The subscription is cancelled.')
  await expectPaused()
})

/** Sells a plan whose renewal is declined until the subscription is unpaid. */
async function leaveUnpaid() {
  const { organization, personal_access_token: token } = system.demo
  const { body: before } = await system.api('GET', '/v1/payments/settings')
  const set = async ({ retry_after_days, after_last_try }: typeof before) => {
    const body = { organization_id: organization.id, retry_after_days, after_last_try }
    expect((await callApi(`${system.readReadyFile().base_url}/v1/payments/settings`, { method: 'PATCH', token, body })).status).toBe(200)
  }
  await set({ retry_after_days: [1], after_last_try: 'unpaid' })
  onTestFinished(() => set(before))
  const owing = await sellAndDecline(system, plan)
  const { current_period_start: start } = (await system.api('GET', `/v1/subscriptions/${owing.owed.subscription_id}`)).body
  const to = new Date(Date.parse(start) + 86_400_000 + 60_000).toISOString()
  expect((await system.api('POST', '/v1/test-clock/advance', { to })).status).toBe(200)
  await eventually(async () =>
    expect((await system.api('GET', `/v1/subscriptions/${owing.owed.subscription_id}`)).body.status).toBe('unpaid'),
  )
  return owing
}

test('the page of a past due subscription states the next attempt, or that only the customer can pay', async () => {
  await using visit = await openVisit(browser, { scripts: false })
  const { page } = visit
  await openSubscription(page, await sellAndDecline(system, plan))
  expect(await readText(page)).toMatch(/was declined\.\s+The payment is tried again on \w+ \d+, \d{4}\.(?!.*not tried again)/s)
  await using other = await openVisit(browser, { scripts: false })
  await openSubscription(other.page, await sellAndDecline(system, plan, 'ctoken_needs_buyer_later'))
  const text = await readText(other.page)
  expect(text).toMatch(/not tried again by itself: pay now.*Without a payment, the subscription ends on \w+ \d+, \d{4}\..*Pay now/s)
  expect(text).not.toMatch(/tried again (on|automatically)/)
})

test('an unpaid subscription is not tried again: its page states that, and it is active after the payment', async () => {
  const owing = await leaveUnpaid()
  await using visit = await openVisit(browser, { scripts: false })
  const { page } = visit
  await openSubscription(page, owing)
  expect(await readText(page)).toContain('It is not tried again by itself: pay to continue.')
  await press(page, 'a[href*="/pay"]')
  await press(page, button)
  expect(await readText(page)).toContain('The order is paid.')
  await expectPaid(owing)
})

test('an unpaid subscription ends at once when it is cancelled, and its page states that', async () => {
  const owing = await leaveUnpaid()
  await using visit = await openVisit(browser, { scripts: false })
  const { page } = visit
  await openSubscription(page, owing)
  await press(page, 'a[href*="/cancel"]')
  expect(await readText(page)).toMatch(/It ends at once\.(?!.*You keep access)/s)
  await press(page, 'button[value=cancel]')
  expect(await readText(page)).toMatch(/The subscription is cancelled\..*It ended on/s)
  expect((await system.api('GET', `/v1/subscriptions/${owing.owed.subscription_id}`)).body.status).toBe('canceled')
})

test('the unpaid period of a subscription that has ended is not offered for payment', async () => {
  const owing = await sellAndDecline(system, plan)
  await using visit = await openVisit(browser, { scripts: false })
  const { page } = visit
  const portal = await openSubscription(page, owing)
  expect(await page.$$('a[href*="/pay"]')).toHaveLength(1)
  expect((await system.api('DELETE', `/v1/subscriptions/${owing.owed.subscription_id}`)).status).toBe(200)
  for (const path of [`subscriptions/${owing.owed.subscription_id}`, `orders/${owing.owed.id}`]) {
    await page.goto(`${portal}/${path}`)
    expect(await page.$$('a[href*="/pay"]')).toHaveLength(0)
  }
  expect((await callAs(owing)('POST', `/orders/${owing.owed.id}/confirm-payment`, { confirmation_token_id: 'ctoken_ok' })).status).toBe(409)
})

test('after ten declines within an hour the page asks to wait', async () => {
  const owing = await sellAndDecline(system, plan)
  const path = `/orders/${owing.owed.id}/confirm-payment`
  for (let tries = 0; tries < 10; tries++) {
    expect((await callAs(owing)('POST', path, { confirmation_token_id: 'ctoken_expired' })).status).toBe(400)
  }
  await using visit = await openVisit(browser, { scripts: false })
  const { page } = visit
  const portal = await openSubscription(page, owing)
  await page.goto(`${portal}/orders/${owing.owed.id}/pay`)
  const [response] = await Promise.all([page.waitForNavigation(), page.click(button)])
  expect(response?.status()).toBe(429)
  expect(response?.headers()['retry-after']).toMatch(/^\d+$/)
})
