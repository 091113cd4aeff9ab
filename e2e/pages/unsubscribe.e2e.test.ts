import { eventually } from '@quittance/testing/eventually'
import type { RunningSystem } from '@quittance/testing/system'
import { useSharedSystem } from '@quittance/testing/use-shared-system'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  findOverflow,
  findViolations,
  launchChromium,
  openVisit,
  press,
  readText,
  screenshot,
  type Browser,
  type Page,
} from '../browser/chromium.ts'
import { openShop } from './shop.ts'

let system: RunningSystem
let browser: Browser
let reminder: { url: string; source: string; customerId: string }
beforeAll(async () => {
  ;[system, browser] = await Promise.all([useSharedSystem(), launchChromium()])
  reminder = await receiveReminder()
})
afterAll(() => browser.close())

/** Sells a yearly subscription, moves the clock of the seller to its last month, and reads the mail. */
async function receiveReminder() {
  const shop = openShop(system)
  const product = await shop.sell(
    { amount_type: 'fixed', price_amount: 4900, price_currency: 'eur' },
    { name: 'Year card', recurring_interval: 'year' },
  )
  const email = `year-${system.demo.organization.slug}@example.com`
  const { client_secret } = await shop.checkout({ products: [product.id] })
  const confirmation = { confirmation_token_id: 'ctoken_ok', customer_email: email, customer_billing_address: { country: 'DE' } }
  expect((await system.api('POST', `/v1/checkouts/client/${client_secret}/confirm`, confirmation)).status).toBe(200)
  await eventually(async () => {
    const { body } = await system.api('GET', `/v1/subscriptions/?product_id=${product.id}&active=true`)
    expect(body.items).toHaveLength(1)
  })
  const to = new Date(Date.now() + 340 * 86_400_000).toISOString()
  expect((await system.api('POST', '/v1/test-clock/advance', { to })).status).toBe(200)
  const mail = await eventually(async () => {
    const { body } = await system.api('GET', '/v1/mail/messages?kind=renewal_ahead&status=sent')
    expect(body.items).toMatchObject([{ recipient: email }])
    return body.items[0] as { id: string; customer_id: string }
  })
  const { base_url } = system.readReadyFile()
  const source = await (await fetch(`${base_url}/mailbox/${mail.id}/source`)).text()
  const url = /List-Unsubscribe: <([^>]*)>/.exec(source.replaceAll(/\r?\n[ \t]+/g, ' '))?.[1] ?? ''
  return { url, source, customerId: mail.customer_id }
}

const countOptOuts = async () => (await system.rows('mail', `select from opt_outs where customer_id = '${reminder.customerId}'`)).length

async function look(page: Page, name: string): Promise<void> {
  await screenshot(page, name)
  expect({ name, violations: await findViolations(page), overflow: await findOverflow(page) }).toEqual({
    name,
    violations: [],
    overflow: 0,
  })
}

test('the page of a reminder stops reminders when its button is pressed, and a visit stops none [pages 93] [pages 117]', async () => {
  expect(reminder.source).toMatch(/Content-Language: en/)
  for (const [width, scripts, scheme] of [
    [390, true, 'dark'],
    [1280, false, 'light'],
  ] as const) {
    await system.rows('mail', `delete from opt_outs where customer_id = '${reminder.customerId}'`)
    await using visit = await openVisit(browser, { width, scripts, scheme })
    const { page, complaints } = visit
    await page.goto(reminder.url)
    await page.reload()
    expect(await countOptOuts()).toBe(0)
    await look(page, `unsubscribe-${width}-${scheme}`)
    await press(page, 'main button')
    expect(await readText(page)).toContain('Reminders are stopped')
    await look(page, `unsubscribe-done-${width}-${scheme}`)
    expect(await countOptOuts()).toBe(1)
    expect(complaints).toEqual([])
  }
})

test('a mail program stops reminders with one request of either type, which comes from no page [pages 93]', async () => {
  await system.rows('mail', `delete from opt_outs where customer_id = '${reminder.customerId}'`)
  const multipart = new FormData()
  multipart.set('List-Unsubscribe', 'One-Click')
  const send = (url: string, body: FormData | URLSearchParams = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' })) =>
    fetch(url, { method: 'POST', body, redirect: 'manual' })
  expect((await send(reminder.url, multipart)).status).toBe(200)
  expect(await countOptOuts()).toBe(1)
  await system.rows('mail', `delete from opt_outs where customer_id = '${reminder.customerId}'`)
  expect((await send(reminder.url)).status).toBe(200)
  expect(await countOptOuts()).toBe(1)
  expect((await send(reminder.url)).status).toBe(200)
  expect((await send(reminder.url.replace(/.{4}$/, 'AAAA'))).status).toBe(404)
  // No other page takes a request of no page.
  expect((await send(new URL('/checkout/qt_co_x', reminder.url).href)).status).toBe(403)
})
