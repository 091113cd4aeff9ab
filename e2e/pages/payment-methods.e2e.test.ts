import type { RunningSystem } from '@quittance/testing/system'
import { useSharedSystem } from '@quittance/testing/use-shared-system'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { launchChromium, openVisit, press, readText, type Browser } from './chromium.ts'
import { look } from './look.ts'
import { sellToCustomer } from './portal-customers.ts'
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

describe.each([
  ['with scripts', 390, true, 'light'],
  ['without scripts', 1280, false, 'dark'],
] as const)('%s, %i px wide', (...[, width, scripts, scheme]) => {
  test('a customer sees the stored payment method, cannot remove it while a subscription needs it, and can afterwards [pages 117]', async () => {
    const { url, order } = await sellToCustomer(system, plan)
    await using visit = await openVisit(browser, { width, scripts, scheme })
    const { page, complaints } = visit
    await page.goto(url)
    const portal = page.url()
    await press(page, 'a[href*="/payment-methods"]')
    expect(await readText(page)).toMatch(/Sandbox •••• 4242[^]*Expires 12\/2050[^]*Default/)
    await look(page, `methods-${width}-${scheme}`)
    await press(page, 'a[href*="/remove"]')
    await look(page, `methods-${width}-${scheme}-remove`)
    await press(page, 'button[value=remove]')
    expect(await readText(page)).toMatch(/A subscription is charged with this payment method[^]*4242/)
    await look(page, `methods-${width}-${scheme}-in-use`)
    await page.goto(`${portal}/subscriptions/${order.subscription_id}/cancel`)
    await press(page, 'button[value=cancel]')
    await page.goto(`${portal}/payment-methods`)
    await press(page, 'a[href*="/remove"]')
    await press(page, 'button[value=remove]')
    expect(await readText(page)).toMatch(/The payment method is removed[^]*No payment method is stored/)
    expect(complaints).toEqual([])
  })
})
