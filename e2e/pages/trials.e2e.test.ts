import type { RunningSystem } from '@quittance/testing/system'
import { useSharedSystem } from '@quittance/testing/use-shared-system'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findOverflow, findViolations, launchChromium, openVisit, press, readText, type Browser } from '../browser/chromium.ts'
import { countryField, openShop, orderButton, type Shop } from './shop.ts'

let system: RunningSystem
let shop: Shop
let browser: Browser
beforeAll(async () => {
  ;[system, browser] = await Promise.all([useSharedSystem(), launchChromium()])
  shop = openShop(system)
})
afterAll(() => browser.close())

const trial = { trial_interval: 'day', trial_interval_count: 14, trial_without_payment_method: true }

test('the checkout states what a trial costs; a second one is offered without [pages 32] [payments 73]', async () => {
  const price = { amount_type: 'fixed', price_amount: 1900 }
  const { id } = await shop.sell(price, { name: 'Reading room', recurring_interval: 'month', ...trial })
  const [first, second] = [await shop.checkout({ products: [id] }), await shop.checkout({ products: [id] })]
  await using visit = await openVisit(browser, { scripts: false, width: 390 })
  const { page } = visit
  const nameButton = () => page.$eval(orderButton, (button) => button.textContent.trim())
  const fill = async (country: string) => {
    await page.type('[name=customer_email]', 'trial@example.com')
    await page.type('[name=customer_name]', 'Grace Hopper')
    await page.select(countryField, country)
  }
  await page.goto(first.url)
  await fill('DE')
  await press(page, 'button.without-scripts')
  expect(await nameButton()).toBe('Order with obligation to pay')
  const shown = await readText(page)
  expect(shown).toMatch(/Total today\s*\$0\.00/)
  expect(shown).toMatch(/The trial is free and ends on .+Nothing is charged unless you choose a payment method/)
  expect(shown).toMatch(/you pay \$19\.00.* on .+ and \$19\.00.* every month/)
  expect([await findViolations(page), await findOverflow(page)]).toEqual([[], 0])
  await press(page, orderButton)
  expect(await readText(page)).toContain('Your order is complete.')
  expect(await shop.orders(first)).toMatchObject([{ status: 'paid', total_amount: 0 }])
  const [order] = await shop.orders(first)
  await system.api('DELETE', `/v1/subscriptions/${order?.subscription_id}`)
  await page.goto(second.url)
  await fill('GB')
  await press(page, 'button.without-scripts')
  expect(await nameButton()).toBe('Start the free trial')
  await press(page, orderButton)
  expect(await readText(page)).toContain('You have had a trial of this product already.')
  expect(await shop.orders(second)).toEqual([])
  await press(page, orderButton)
  expect(await readText(page)).toContain('Your order is paid.')
  expect(await shop.orders(second)).toMatchObject([{ status: 'paid', net_amount: 1900 }])
})

test('a trial with a payment method states the charge at its end, and asks for the method [pages 32] [payments 73]', async () => {
  const price = { amount_type: 'fixed', price_amount: 1900 }
  const terms = { ...trial, trial_without_payment_method: false }
  const { id } = await shop.sell(price, { name: 'Reading room', recurring_interval: 'month', ...terms })
  const checkout = await shop.checkout({ products: [id] })
  await using visit = await openVisit(browser, { scripts: false })
  const { page } = visit
  await page.goto(checkout.url)
  await page.type('[name=customer_email]', 'charged-trial@example.com')
  await page.type('[name=customer_name]', 'Grace Hopper')
  await page.select(countryField, 'DE')
  await press(page, 'button.without-scripts')
  expect(await page.$eval(orderButton, (button) => button.textContent.trim())).toBe('Order with obligation to pay')
  expect(await readText(page)).toMatch(/Then you pay \$19\.00.* and \$19\.00.* every month after that, until you cancel/)
  await press(page, orderButton)
  expect(await readText(page)).toContain('Your order is complete.')
  const [order] = await shop.orders(checkout)
  expect(order).toMatchObject({ status: 'paid', total_amount: 0 })
  expect((await system.api('GET', `/v1/subscriptions/${order?.subscription_id}`)).body).toMatchObject({ status: 'trialing' })
})
