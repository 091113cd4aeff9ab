import { eventually } from '@quittance/testing/eventually'
import type { RunningSystem } from '@quittance/testing/system'
import { useSharedSystem } from '@quittance/testing/use-shared-system'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  findViolations,
  launchChromium,
  openVisit,
  press,
  readText,
  screenshot,
  setValue,
  type Browser,
  type Page,
} from '../browser/chromium.ts'
import { countryField, openShop, orderButton, readTotal, type Shop } from './shop.ts'

let system: RunningSystem
let browser: Browser
let shop: Shop
let taxRate: { id: string }
const usd = (price_amount: number, fields = {}) => ({ amount_type: 'fixed', price_amount, price_currency: 'usd', ...fields })

beforeAll(async () => {
  ;[system, browser] = await Promise.all([useSharedSystem(), launchChromium()])
  shop = openShop(system)
  const rate = { name: 'VAT', percentage: 19, reverse_charge: true }
  taxRate = await shop.create('/v1/tax-rates/', { country: 'DE', ...rate })
  await shop.create('/v1/tax-rates/', { country: 'AT', ...rate, percentage: 20 })
  await shop.create('/v1/tax-rates/', { country: 'US', state: 'US-CA', name: 'Sales tax', percentage: 7.25 })
})
afterAll(() => browser.close())

async function typeBuyer(page: Page): Promise<void> {
  await page.type('[name=customer_email]', 'grace@example.com')
  await page.type('[name=customer_name]', 'Grace Hopper')
}

test('changing the country changes tax and total without reload, announces it, and names no buyer [pages 13] [pages 27]', async () => {
  await using visit = await openVisit(browser, { language: 'en' })
  const { page, posts, requests } = visit
  await page.goto((await shop.checkout()).url)
  expect(await readText(page)).toContain('depends on your country')
  await typeBuyer(page)
  await page.select(countryField, 'DE')
  await eventually(async () => expect(await readTotal(page)).toBe('$58.31'))
  expect(await page.$eval('#announcement', (element) => element.textContent)).toBe('Total $58.31')
  expect(await readText(page)).toMatch(/VAT 19%\s*\$9\.31/)
  expect(requests.filter((url) => url.includes('/checkout/'))).toHaveLength(2)
  expect(posts.join()).not.toMatch(/grace|Grace|Hopper/)
  expect(await page.$eval('[name=customer_email]', (field) => (field as unknown as { value: string }).value)).toBe('grace@example.com')
})

test('two quick changes end with the total of the later, even if its reply is first [pages 26]', async () => {
  await using visit = await openVisit(browser, { language: 'en' })
  const { page } = visit
  await page.goto((await shop.checkout()).url)
  await page.setRequestInterception(true)
  const held: (() => void)[] = []
  page.on('request', (request) => {
    const isFirst = request.method() === 'POST' && held.length === 0
    if (isFirst) held.push(() => void request.continue())
    else void request.continue()
  })
  await page.select(countryField, 'AT')
  await eventually(async () => expect(held).toHaveLength(1))
  await page.select(countryField, 'DE')
  await eventually(async () => expect(await readTotal(page)).toBe('$58.31'))
  const late = page.waitForResponse((response) => response.request().method() === 'POST')
  held[0]?.()
  await late
  await page.waitForNetworkIdle()
  expect(await readTotal(page)).toBe('$58.31')
})

test('without scripts "Update total" changes the total and keeps what was typed; then it is charged [pages 14]', async () => {
  const checkout = await shop.checkout()
  await using visit = await openVisit(browser, { scripts: false, language: 'en', width: 390 })
  const { page } = visit
  await page.goto(checkout.url)
  await typeBuyer(page)
  await page.select(countryField, 'DE')
  await press(page, 'button.without-scripts')
  expect(await readTotal(page)).toBe('$58.31')
  expect(await page.$eval('[name=customer_email]', (field) => (field as unknown as { value: string }).value)).toBe('grace@example.com')
  // The page server knows the buyer now, the API does not [27].
  const { body } = await system.api('GET', `/v1/checkouts/${checkout.id}`)
  expect(body).toMatchObject({ customer_email: null, customer_name: null })
  await press(page, orderButton)
  expect(await readText(page)).toContain('Your order is paid.')
  expect(await shop.orders(checkout)).toMatchObject([{ total_amount: 5831 }])
})

test('a tax changed in the time between is shown again and not charged [pages 28]', async () => {
  const checkout = await shop.checkout()
  await using visit = await openVisit(browser, { language: 'de-DE' })
  const { page } = visit
  await page.goto(checkout.url)
  await eventually(async () => expect(await readTotal(page)).toMatch(/58,31/))
  await typeBuyer(page)
  await system.api('PATCH', `/v1/tax-rates/${taxRate.id}`, { percentage: 25 })
  try {
    await press(page, orderButton)
    expect(await readTotal(page)).toMatch(/61,25/)
    expect(await page.$eval('#errors', (element) => element.textContent)).toMatch(/61,25/)
    expect(await shop.orders(checkout)).toEqual([])
    await press(page, orderButton)
    expect(await shop.orders(checkout)).toMatchObject([{ total_amount: 6125 }])
  } finally {
    await system.api('PATCH', `/v1/tax-rates/${taxRate.id}`, { percentage: 19 })
  }
})

test('a code opens by keyboard, a wrong one is named at its field, and taking it off brings the old total back [pages 15] [pages 16]', async () => {
  const code = `SAVE${Date.now()}`
  const discount = { name: 'Spring', code, type: 'percentage', basis_points: 1000, duration: 'once' }
  await shop.create('/v1/discounts/', discount)
  for (const scripts of [true, false]) {
    await using visit = await openVisit(browser, { scripts, language: 'en' })
    const { page, complaints } = visit
    await page.goto((await shop.checkout()).url)
    await page.focus('details[data-live=discount] > summary')
    await page.keyboard.press('Enter')
    const apply = async (text: string) => {
      await setValue(page, '[name=discount_code]', text)
      if (scripts) await page.click('.inline-form button')
      else await press(page, '.inline-form button')
    }
    await apply('WRONG1')
    await eventually(async () =>
      expect(await page.$eval('#field-discount_code-error', (error) => error.textContent)).toContain('cannot be used'),
    )
    expect(await findViolations(page)).toEqual([])
    await apply(code)
    await eventually(async () => expect(await readTotal(page)).toBe('$44.10'))
    expect(await readText(page)).toContain('Discount: Spring')
    if (scripts) await page.click('button[value=remove-discount]')
    else await press(page, 'button[value=remove-discount]')
    await eventually(async () => expect(await readTotal(page)).toBe('$49.00'))
    expect(complaints).toEqual([])
  }
})

test('a discount that others used up in the time between is taken off, and the order is placed at the total that is shown then', async () => {
  const product = await shop.sell(usd(1000))
  const discount = await shop.create('/v1/discounts/', {
    name: 'Last one',
    type: 'percentage',
    basis_points: 5000,
    duration: 'once',
    max_redemptions: 1,
  })
  const fields = { products: [product.id], discount_id: discount.id, allow_discount_codes: false }
  const [checkout, other] = [await shop.checkout(fields), await shop.checkout(fields)]
  await using visit = await openVisit(browser, { scripts: false })
  const { page } = visit
  await page.goto(checkout.url)
  await typeBuyer(page)
  await page.select(countryField, 'FR')
  await press(page, 'button.without-scripts')
  expect(await readTotal(page)).toBe('$5.00')
  const order = { customer_email: 'first@example.com', confirmation_token_id: 'ctoken_ok', customer_billing_address: { country: 'FR' } }
  expect((await system.api('POST', `/v1/checkouts/client/${other.client_secret}/confirm`, order)).status).toBe(200)
  await press(page, orderButton)
  expect(await page.$eval('#errors', (notice) => notice.textContent)).toContain('$10.00')
  expect(await shop.orders(checkout)).toEqual([])
  await press(page, orderButton)
  expect(await shop.orders(checkout)).toMatchObject([{ total_amount: 1000 }])
})

test('taking a code off that was ordered with in another tab leads to the confirmation', async () => {
  const product = await shop.sell(usd(1000))
  const discount = await shop.create('/v1/discounts/', { name: 'Half', type: 'percentage', basis_points: 5000, duration: 'once' })
  const checkout = await shop.checkout({ products: [product.id], discount_id: discount.id })
  await using visit = await openVisit(browser, { scripts: false })
  const { page } = visit
  await page.goto(checkout.url)
  const order = { customer_email: 'second@example.com', confirmation_token_id: 'ctoken_ok', customer_billing_address: { country: 'FR' } }
  expect((await system.api('POST', `/v1/checkouts/client/${checkout.client_secret}/confirm`, order)).status).toBe(200)
  await press(page, 'button[value=remove-discount]')
  expect(new URL(page.url()).pathname).toBe(`/checkout/${checkout.client_secret}/confirmation`)
})

test('a tax id of another country is refused at its field; reverse charge makes the tax zero and states why [pages 17] [pages 18]', async () => {
  for (const scripts of [true, false]) {
    await using visit = await openVisit(browser, { scripts, language: 'de-DE' })
    const { page } = visit
    await page.goto(`${(await shop.checkout()).url}?locale=en`)
    expect(await (await page.$('.company'))?.isVisible()).toBe(false)
    await page.click('[name=is_business_customer]')
    expect(await (await page.$('.company'))?.isVisible()).toBe(true)
    const update = async (taxId: string) => {
      await setValue(page, '[name=customer_tax_id]', taxId)
      if (!scripts) return press(page, 'button.without-scripts')
      await page.$eval('[name=customer_tax_id]', (field) => field.dispatchEvent(new Event('change', { bubbles: true })))
    }
    await update('FR40303265045')
    await eventually(async () =>
      expect(await page.$eval('#field-customer_tax_id-error', (error) => error.textContent)).toContain('does not fit'),
    )
    await screenshot(page, `checkout-business-${scripts}`)
    expect([await findViolations(page), await readTotal(page)]).toEqual([[], '$58.31'])
    await update('DE136695976')
    await eventually(async () => expect(await readText(page)).toContain('Reverse charge'))
    expect(await readTotal(page)).toBe('$49.00')
  }
})

test('the chosen product sets the price and interval of the order [pages 19] [pages 23]', async () => {
  const card = await shop.sell(usd(1200), { name: 'Library card', recurring_interval: 'month' })
  const checkout = await shop.checkout({ products: [system.demo.product_id, card.id] })
  await using visit = await openVisit(browser, { language: 'en-US' })
  const { page } = visit
  await page.goto(checkout.url)
  await page.click(`[name=product_id][value="${card.id}"]`)
  await eventually(async () => expect(await readTotal(page)).toBe('$12.00'))
  expect(await readText(page)).toMatch(/You pay \$12\.00 today\. The subscription renews on \w+ \d+, \d{4} for \$12\.00.*until you cancel/)
  await typeBuyer(page)
  await page.select(countryField, 'US')
  await page.waitForSelector('[name="customer_billing_address.state"]')
  await page.select('[name="customer_billing_address.state"]', 'US-CA')
  await eventually(async () => expect(await readTotal(page)).toBe('$12.87'))
  expect(await page.$eval(orderButton, (button) => button.textContent.trim())).toBe('Subscribe and pay $12.87')
  await press(page, orderButton)
  expect(await shop.orders(checkout)).toMatchObject([{ total_amount: 1287, billing_reason: 'subscription_create', product_id: card.id }])
})

test('a chosen amount outside its limits is refused with the limits in the format of the page [pages 20]', async () => {
  const gift = await shop.sell({
    amount_type: 'custom',
    minimum_amount: 500,
    maximum_amount: 100_000,
    preset_amount: 1000,
    price_currency: 'eur',
  })
  const checkout = await shop.checkout({ products: [gift.id] })
  await using visit = await openVisit(browser, { scripts: false, language: 'en' })
  const { page } = visit
  await page.goto(checkout.url)
  const update = async (amount: string) => {
    await setValue(page, '[name=amount]', amount)
    await press(page, 'button.without-scripts')
  }
  for (const [amount, message] of [
    ['4.99', 'From €5.00 to €1,000.00.'],
    ['1,000.01', 'From €5.00 to €1,000.00.'],
    ['1.000', 'Enter the amount as a number.'],
    ['much', 'Enter the amount as a number.'],
  ] as const) {
    await update(amount)
    expect(await page.$eval('#field-amount-error', (error) => error.textContent)).toContain(message)
  }
  await update('42.50')
  expect(await page.$eval('.before-order .row', (row) => row.textContent)).toContain('€42.50')
})

test('a chosen amount that includes its tax stays with the country, and is the price after a discount on the first period', async () => {
  const price = { amount_type: 'custom', minimum_amount: 500, preset_amount: 1000, price_currency: 'eur', tax_behavior: 'inclusive' }
  const plan = await shop.sell(price, { recurring_interval: 'month' })
  const discount = await shop.create('/v1/discounts/', { name: 'First half', type: 'percentage', basis_points: 5000, duration: 'once' })
  const checkout = await shop.checkout({ products: [plan.id], amount: 2000, discount_id: discount.id })
  await using visit = await openVisit(browser, { scripts: false, language: 'en' })
  const { page } = visit
  await page.goto(checkout.url)
  await page.type('[name=customer_email]', 'patron@example.com')
  await page.type('[name=customer_name]', 'Grace Hopper')
  for (const country of ['DE', 'AT']) {
    await page.select(countryField, country)
    await press(page, 'button.without-scripts')
    expect(await page.$eval('[name=amount]', (field) => (field as unknown as { value: string }).value)).toBe('20.00')
    const text = await readText(page)
    expect(text).toMatch(/Price\s*€20\.00\s*Discount: First half\s*-€10\.00\s*Total today\s*€10\.00/)
    expect(text).toContain('then €20.00 each month')
  }
  await press(page, orderButton)
  expect(await shop.orders(checkout)).toMatchObject([{ total_amount: 1000 }])
})

test('the US and Canada get a list of states, and countries without postal codes no such field [pages 21]', async () => {
  const checkout = await shop.checkout({ require_billing_address: true })
  await using visit = await openVisit(browser, { language: 'en' })
  const { page } = visit
  await page.goto(checkout.url)
  const fields = { state: '[name="customer_billing_address.state"]', postalCode: '[name="customer_billing_address.postal_code"]' }
  const has = async () => [(await page.$(fields.state)) !== null, (await page.$(fields.postalCode)) !== null]
  for (const [country, expected] of [
    ['US', [true, true]],
    ['HK', [false, false]],
    ['CA', [true, true]],
    ['DE', [false, true]],
  ] as const) {
    await page.select(countryField, country)
    await eventually(async () => expect({ country, has: await has() }).toEqual({ country, has: expected }))
  }
  await screenshot(page, 'checkout-address')
  expect(await findViolations(page)).toEqual([])
})

test('inclusive prices show the tax as contained [pages 24]', async () => {
  const book = await shop.sell(usd(1190, { tax_behavior: 'inclusive' }))
  await using visit = await openVisit(browser, { language: 'en' })
  const { page } = visit
  await page.goto((await shop.checkout({ products: [book.id] })).url)
  await page.select(countryField, 'DE')
  await eventually(async () => expect(await readText(page)).toMatch(/Total\s*\$11\.90[^]*Includes VAT 19%: \$1\.90/))
})

test('a free product asks for e-mail address and name alone [pages 11] [pages 31]', async () => {
  const leaflet = await shop.sell({ amount_type: 'free' }, { name: 'Leaflet' })
  const checkout = await shop.checkout({ products: [leaflet.id] })
  await using visit = await openVisit(browser, { scripts: false })
  const { page } = visit
  await page.goto(checkout.url)
  const names = await page.$$eval('form#checkout :is(input, select):not([type=hidden])', (fields) =>
    fields.map((field) => field.getAttribute('name')),
  )
  expect(names).toEqual(['customer_email', 'customer_name'])
  expect(await page.$eval(orderButton, (button) => button.textContent.trim())).toBe('Confirm order')
  await typeBuyer(page)
  await press(page, orderButton)
  expect(await readText(page)).toContain('Your order is complete.')
})

test('a customer named by the seller has a locked e-mail field [pages 12] [pages 52]', async () => {
  const checkout = await shop.checkout({ customer_id: system.demo.customer_id })
  await using visit = await openVisit(browser)
  const { page } = visit
  await page.goto(checkout.url)
  expect(await page.$eval('[name=customer_email]', (field) => field.hasAttribute('readonly'))).toBe(true)
  await page.select(countryField, 'GB')
  await press(page, orderButton)
  await press(page, 'form[action$="/portal"] button:last-of-type')
  // The whole customer: also what was bought before.
  expect(await page.$$(`a[href*="${system.demo.paid_order_id}"]`)).toHaveLength(1)
})

test('the links of the seller to terms, privacy and imprint are directly above the order button', async () => {
  const settings = { terms_url: 'https://harbour.example/terms', imprint_url: 'https://harbour.example/imprint?a=1&b="x"' }
  const { id } = system.demo.organization
  expect((await system.api('PATCH', `/v1/organizations/${id}`, { page_settings: settings })).status).toBe(200)
  const checkout = await shop.checkout()
  const links = await eventually(async () => {
    await using visit = await openVisit(browser, { scripts: false, language: 'de-DE', width: 390 })
    const { page } = visit
    await page.goto(checkout.url)
    const found = await page.$$eval('.before-order a', (all) =>
      all.map((link) => [link.textContent, (link as unknown as { href: string }).href]),
    )
    if (found.length === 0) throw new Error('The settings have not arrived yet')
    expect(await findViolations(page)).toEqual([])
    return found
  })
  expect(links).toEqual([
    ['AGB', settings.terms_url],
    ['Impressum', new URL(settings.imprint_url).href],
  ])
})
