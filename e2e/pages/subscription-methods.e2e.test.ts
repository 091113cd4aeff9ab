import type { RunningSystem } from '@quittance/testing/system'
import { useSharedSystem } from '@quittance/testing/use-shared-system'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { launchChromium, openVisit, press, readText, type Browser, type Page } from '../browser/chromium.ts'
import { look } from './look.ts'
import { openShop, type Shop } from './shop.ts'

let system: RunningSystem
let shop: Shop
let browser: Browser
beforeAll(async () => {
  ;[system, browser] = await Promise.all([useSharedSystem(), launchChromium()])
  shop = openShop(system)
})
afterAll(() => browser.close())

/** Orders a plan with the typed address of an existing customer, as anyone can. Returns what the customer's own session sees. */
async function orderUnproven(terms: object, token?: string) {
  const customer = await shop.create<{ id: string; email: string }>('/v1/customers/', { email: `typed-${crypto.randomUUID()}@example.com` })
  const price = { amount_type: 'fixed', price_amount: 1_900 }
  const { id } = await shop.sell(price, { name: 'Reading room', recurring_interval: 'month', ...terms })
  const checkout = await shop.checkout({ products: [id] })
  const confirmation = {
    customer_email: customer.email,
    customer_name: 'Grace',
    customer_billing_address: { country: 'US', state: 'US-CA', postal_code: '94105', line1: '1 Main St', city: 'San Francisco' },
    ...(token && { confirmation_token_id: token }),
  }
  await system.api('POST', `/v1/checkouts/client/${checkout.client_secret}/confirm`, confirmation)
  const [order] = await shop.orders(checkout)
  const { customer_portal_url: url } = await shop.create<{ customer_portal_url: string }>('/v1/customer-sessions/', {
    customer_id: customer.id,
  })
  return { subscriptionId: order?.subscription_id ?? '', url }
}

/** Opens the portal of a customer and stores a method, which becomes the default. Returns the address of the portal. */
async function storeMethod(page: Page, url: string): Promise<string> {
  await page.goto(url)
  const portal = page.url().replace(/\?.*/, '')
  await page.goto(`${portal}/payment-methods/add`)
  const choice = await page.$('input[name=set_default]')
  await choice?.click()
  await press(page, '#add button.primary')
  return portal
}

describe.each([
  ['with scripts', 390, true, 'light'],
  ['without scripts', 1280, false, 'dark'],
] as const)('%s, %i px wide', (...[, width, scripts, scheme]) => {
  test('a customer chooses the payment method of a subscription that was ordered with a typed address', async () => {
    const { subscriptionId, url } = await orderUnproven({}, 'ctoken_refund_pending')
    await using visit = await openVisit(browser, { width, scripts, scheme })
    const { page, complaints } = visit
    const portal = await storeMethod(page, url)
    expect(await readText(page)).toMatch(/ordered without signing in[^]*Reading room[^]*Choose a payment method/)
    await look(page, `own-method-${width}-${scheme}-listed`)
    await press(page, `a[href*="${subscriptionId}/method"]`)
    expect(await readText(page)).toMatch(/Choose how to pay for Reading room[^]*4242[^]*What is overdue is charged at once/)
    await look(page, `own-method-${width}-${scheme}-choice`)
    await page.click('.choice:not(:has(:checked)) input')
    await press(page, 'form.card button.primary')
    expect(await readText(page)).toMatch(/The payment method of the subscription is changed\.[^]*Paid with Sandbox/)
    await look(page, `own-method-${width}-${scheme}-chosen`)
    await page.goto(`${portal}/payment-methods`)
    expect(await readText(page)).not.toContain('ordered without signing in')
    expect(complaints).toEqual([])
  })

  test('a trial without a payment method continues only by a button with the words of an order', async () => {
    const trial = { trial_interval: 'day', trial_interval_count: 14, trial_without_payment_method: true }
    const { subscriptionId, url } = await orderUnproven(trial)
    await using visit = await openVisit(browser, { width, scripts, scheme })
    const { page, complaints } = visit
    const portal = await storeMethod(page, url)
    await page.goto(`${portal}/subscriptions/${subscriptionId}`)
    expect(await readText(page)).toMatch(/The trial is free and ends on[^]*No payment method is chosen\./)
    await press(page, 'a[href*="/method?"]')
    expect(await readText(page)).toMatch(/The trial is free and ends on .+ Then you pay \$19\.00/)
    expect(await page.$eval('form.card button.primary', (button) => button.textContent.trim())).toBe('Order with obligation to pay')
    await look(page, `trial-method-${width}-${scheme}`)
    await press(page, 'form.card button.primary')
    expect(await readText(page)).toMatch(/is charged on .+[^]*Paid with Sandbox/)
    expect(complaints).toEqual([])
  })
})
