/** Replies that arrive while a buyer uses the order button. */
import { eventually } from '@quittance/testing/eventually'
import type { RunningSystem } from '@quittance/testing/system'
import { useSharedSystem } from '@quittance/testing/use-shared-system'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchChromium, openVisit, press, type Browser, type Page } from '../browser/chromium.ts'
import { countryField, openShop, orderButton, readTotal, type Shop } from './shop.ts'

let system: RunningSystem
let browser: Browser
let shop: Shop

beforeAll(async () => {
  ;[system, browser] = await Promise.all([useSharedSystem(), launchChromium()])
  shop = openShop(system)
  await shop.create('/v1/tax-rates/', { country: 'DE', name: 'VAT', percentage: 19 })
})
afterAll(() => browser.close())

/** Opens a checkout of $49 and names the buyer. */
async function openCheckout(page: Page) {
  const checkout = await shop.checkout()
  await page.goto(checkout.url)
  await eventually(async () => expect(await readTotal(page)).toBe('$49.00'))
  await page.type('[name=customer_email]', 'grace@example.com')
  await page.type('[name=customer_name]', 'Grace Hopper')
  return checkout
}

/** Chooses a country and holds the request for its total, until the function that is returned is called. */
async function chooseCountry(page: Page, country: string): Promise<() => Promise<void>> {
  await page.setRequestInterception(true)
  const held: (() => void)[] = []
  page.on('request', (request) => {
    if (request.postData()?.includes('intent=update')) held.push(() => void request.continue())
    else void request.continue()
  })
  await page.select(countryField, country)
  await eventually(async () => expect(held).toHaveLength(1))
  return async () => {
    const reply = page.waitForResponse((response) => response.request().method() === 'POST')
    held[0]?.()
    await reply
    await page.waitForNetworkIdle()
  }
}

test('a total that moves the button while it is held down is shown before it is charged', async () => {
  await using visit = await openVisit(browser, { language: 'en-US' })
  const { page } = visit
  const checkout = await openCheckout(page)
  const continueUpdate = await chooseCountry(page, 'DE')
  await page.hover(orderButton)
  await page.mouse.down()
  await continueUpdate()
  await Promise.all([page.waitForNavigation(), page.mouse.up()])
  expect(await readTotal(page)).toBe('$58.31')
  await press(page, orderButton)
  expect(await shop.orders(checkout)).toMatchObject([{ total_amount: 5831 }])
})

test('a button that a new total replaces keeps the focus of the keyboard', async () => {
  await using visit = await openVisit(browser, { language: 'en-US' })
  const { page } = visit
  const checkout = await openCheckout(page)
  const continueUpdate = await chooseCountry(page, 'DE')
  await page.focus(orderButton)
  await continueUpdate()
  await eventually(async () => expect(await readTotal(page)).toBe('$58.31'))
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')])
  expect(await shop.orders(checkout)).toMatchObject([{ total_amount: 5831 }])
})
