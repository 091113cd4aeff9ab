import { eventually } from '@quittance/testing/eventually'
import { useSharedSystem } from '@quittance/testing/use-shared-system'
import { callApi, type RunningSystem } from '@quittance/testing/system'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { waitForMailedCode } from './mailed-codes.ts'
import { launchChromium, openVisit, type Browser } from './browser/chromium.ts'
import { expectAccepted } from './sale.ts'

let system: RunningSystem
let browser: Browser

beforeAll(async () => {
  ;[system, browser] = await Promise.all([useSharedSystem(), launchChromium()])
})
afterAll(() => browser.close())

const hostile = `</title></p><script>document.title='run'</script><img src="https://elsewhere.example/x.png" onerror="document.title='run'"> Mail`

/** Sells a product with this name to a new customer, and returns the customer's address. */
async function sellHostile(name: string): Promise<string> {
  const { api } = system
  const email = `mailbox-${crypto.randomUUID()}@example.com`
  const price = { amount_type: 'fixed', price_amount: 500, price_currency: 'usd' }
  const product = await expectAccepted(() => api('POST', '/v1/products/', { name, recurring_interval: null, prices: [price] }))
  const customer = await expectAccepted(() => api('POST', '/v1/customers/', { email, name }))
  const checkout = await expectAccepted(() => api('POST', '/v1/checkouts/', { products: [product.id], customer_id: customer.id }))
  const billing = { customer_billing_address: { country: 'DE' } }
  await expectAccepted(
    () => api('POST', `/v1/checkouts/client/${checkout.client_secret}/confirm`, { confirmation_token_id: 'ctoken_ok', ...billing }),
    [403],
  )
  return email
}

test('a receipt with hostile text runs and loads nothing in the mailbox [pages 94] [pages 95] [pages 124]', async () => {
  const email = await sellHostile(hostile)
  const { base_url: baseUrl } = system.readReadyFile()
  await using window = await openVisit(browser)
  const { page, complaints, requests } = window
  await eventually(async () => {
    await page.goto(`${baseUrl}/mailbox`)
    expect(await page.$eval('ol', (list) => list.textContent)).toContain(email)
  })
  const link = await page.$$eval('li a', (links, address) => links.find((each) => each.textContent?.includes(address))?.href, email)
  await page.goto(link as string)
  const frame = page.frames().find((each) => each.url().endsWith('/html'))
  expect(await frame?.$eval('body', (body) => body.textContent)).toContain('<script>')
  expect(await frame?.evaluate(`getComputedStyle(document.querySelector('h1')).fontSize`)).toBe('22px')
  expect([await page.title(), await frame?.title()].some((title) => title === 'run')).toBe(false)
  expect(requests.filter((url) => !url.startsWith(`${baseUrl}/mailbox`) && !url.endsWith('/favicon.ico'))).toEqual([])
  expect(complaints).toEqual([])
})

test('the mailbox answers on the host of the public address only, and no page may read it', async () => {
  const { base_url: baseUrl } = system.readReadyFile()
  const { port } = new URL(baseUrl)
  const answer = await fetch(`${baseUrl}/mailbox`, { headers: { origin: 'https://elsewhere.example' } })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  expect((await fetch(`http://localhost:${port}/mailbox`)).status).toBe(404)
})

test('a customer signs in to the portal with the code from the mailbox [pages 64]', async () => {
  const { base_url: baseUrl } = system.readReadyFile()
  const email = `portal-${crypto.randomUUID()}@example.com`
  await expectAccepted(() => system.api('POST', '/v1/customers/', { email }))
  const address = { organization_id: system.demo.organization.id, email }
  const send = (path: string, body: object) =>
    callApi(`${baseUrl}/v1/customer-portal/customer-session/${path}`, { method: 'POST', token: null, body })
  expect((await send('request', address)).status).toBe(202)
  expect((await send('request', { ...address, email: `unknown-${email}` })).status).toBe(202)
  const code = await waitForMailedCode(baseUrl, email)
  expect((await send('authenticate', { ...address, code: 'AAA-AAA' })).status).toBe(401)
  const { status, body } = await send('authenticate', { ...address, code })
  expect(status).toBe(200)
  const own = await callApi(`${baseUrl}/v1/customer-portal/customers/me`, { method: 'GET', token: body.token })
  expect(own.body).toMatchObject({ email, email_verified: true })
})
