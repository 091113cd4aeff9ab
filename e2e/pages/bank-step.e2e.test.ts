import { eventually } from '@quittance/testing/eventually'
import type { RunningSystem } from '@quittance/testing/system'
import { useSharedSystem } from '@quittance/testing/use-shared-system'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { launchChromium, openVisit, press, readText, type Browser } from '../browser/chromium.ts'
import { look } from './look.ts'
import { sellAndDecline, sellToCustomer } from './portal-customers.ts'
import { countryField, openShop, orderButton, type Shop } from './shop.ts'

let system: RunningSystem
let browser: Browser
let shop: Shop
let plan: { id: string }
beforeAll(async () => {
  ;[system, browser] = await Promise.all([useSharedSystem(), launchChromium()])
  shop = openShop(system)
  const price = { amount_type: 'fixed', price_amount: 1_000, price_currency: 'eur' }
  plan = await shop.sell(price, { name: 'Reading plan', recurring_interval: 'month' })
})
afterAll(() => browser.close())

const stepButton = '.test ~ .actions button'
const card = 'input[value=ctoken_action]'

describe.each([
  ['with scripts', 390, true, 'light'],
  ['without scripts', 1280, false, 'dark'],
] as const)('%s, %i px wide', (...[, width, scripts, scheme]) => {
  test('an order is paid once the buyer completed the step of the bank in the sandbox', async () => {
    const checkout = await shop.checkout()
    await using visit = await openVisit(browser, { width, scripts, scheme })
    const { page, complaints } = visit
    await page.goto(checkout.url)
    await page.type('[name=customer_email]', `${crypto.randomUUID()}@example.com`)
    await page.type('[name=customer_name]', 'Grace Hopper')
    await page.select(countryField, 'GB')
    await page.click(card)
    await press(page, orderButton)
    expect(await readText(page)).toMatch(/Your bank wants to confirm this payment[^]*Test: no money moves/)
    await look(page, `bank-step-${width}-${scheme}`)
    await press(page, stepButton)
    await eventually(async () => expect(await readText(page)).toContain('Your order is paid.'))
    expect((await shop.orders(checkout)).map(({ status }) => status)).toEqual(['paid'])
    expect(complaints).toEqual([])
  })

  test('what is owed is paid once the buyer completed the step of the bank in the sandbox', async () => {
    const { url, owed } = await sellAndDecline(system, plan)
    await using visit = await openVisit(browser, { width, scripts, scheme })
    const { page, complaints } = visit
    await page.goto(url)
    const portal = page.url().replace(/\?.*/, '')
    await page.goto(`${portal}/subscriptions/${owed.subscription_id}`)
    await press(page, 'a[href*="/pay"]')
    await page.click('.choice:has(input[name=payment_method_id][value=""])')
    await page.click(card)
    await press(page, '#pay button.primary')
    expect(await readText(page)).toMatch(/Your bank wants to confirm this payment[^]*Test: no money moves/)
    await look(page, `pay-step-${width}-${scheme}`)
    await press(page, stepButton)
    await eventually(async () => expect((await system.api('GET', `/v1/orders/${owed.id}`)).body.status).toBe('paid'))
    expect(page.url()).toContain(`/subscriptions/${owed.subscription_id}?done=pa`)
    expect(complaints).toEqual([])
  })

  test('a payment method is stored once the buyer completed the step of the bank in the sandbox', async () => {
    const { url } = await sellToCustomer(system, plan)
    await using visit = await openVisit(browser, { width, scripts, scheme })
    const { page, complaints } = visit
    await page.goto(url)
    await page.goto(`${page.url().replace(/\?.*/, '')}/payment-methods/add`)
    await page.click(card)
    await press(page, '#add button.primary')
    expect(await readText(page)).toContain('Your bank wants to confirm this payment method')
    await press(page, stepButton)
    expect(page.url()).toContain('/payment-methods?done=added')
    expect(await page.$$('.rows > li')).toHaveLength(2)
    expect(complaints).toEqual([])
  })
})
