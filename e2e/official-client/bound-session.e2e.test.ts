import { randomUUID } from 'node:crypto'
import { Polar } from '@polar-sh/sdk'
import { SDKError } from '@polar-sh/sdk/models/errors/sdkerror.js'
import { validateEvent } from '@polar-sh/sdk/webhooks'
import { startEndpointSink } from '@quittance/testing/endpoint-sink'
import { eventually } from '@quittance/testing/eventually'
import { useSharedSystem } from '@quittance/testing/use-shared-system'
import { callApi, type RunningSystem } from '@quittance/testing/system'
import { beforeAll, expect, test } from 'vitest'

let system: RunningSystem
let polar: Polar

beforeAll(async () => {
  system = await useSharedSystem()
  polar = new Polar({ accessToken: system.demo.organization_access_token, serverURL: system.readReadyFile().base_url })
})

test('the unmodified official client reads the data of a checkout-bound session', async () => {
  const email = `${randomUUID()}@example.com`
  const customer = await polar.customers.create({ email, name: 'Ada Lovelace' })
  const { clientSecret } = await polar.checkouts.create({ products: [system.demo.product_id] })
  const buyer = { customerEmail: email, customerName: 'Mallory', customerBillingAddress: { country: 'PL' }, customerTaxId: '5260001246' }
  const checkoutConfirmStripe = { confirmationTokenId: 'ctoken_ok', ...buyer }
  const { customerSessionToken, id } = await polar.checkouts.clientConfirm({ clientSecret, checkoutConfirmStripe })
  const me = { customerSession: customerSessionToken }
  const { customerPortal: portal } = polar
  expect(await portal.customers.get(me)).toMatchObject({
    id: customer.id,
    email,
    name: 'Mallory',
    taxId: ['PL5260001246', 'eu_vat'],
    billingAddress: { country: 'PL' },
  })
  const pages = []
  for await (const page of await portal.orders.list(me, {})) pages.push(...page.result.items)
  expect(pages).toMatchObject([{ checkoutId: id, billingName: 'Mallory' }])
  expect(await portal.orders.get(me, { id: pages[0]?.id ?? '' })).toMatchObject({ checkoutId: id })
  await expect(portal.customers.update(me, { name: 'Mallory' })).rejects.toMatchObject({ statusCode: 403, constructor: SDKError })
})

test('the official helper parses the events of a checkout, which contain no secret', async () => {
  await using sink = await startEndpointSink()
  const { base_url } = system.readReadyFile()
  const token = system.demo.organization_access_token
  const endpoint = { url: sink.url, events: ['checkout.created', 'checkout.updated'] }
  const { body: made } = await callApi(`${base_url}/v1/webhooks/endpoints`, { method: 'POST', token, body: endpoint })
  const { id, clientSecret } = await polar.checkouts.create({ products: [system.demo.product_id] })
  await polar.checkouts.clientUpdate({ clientSecret, checkoutUpdatePublic: { customerName: 'Ada' } })
  await eventually(() => {
    const parsed = sink.received
      .map(({ body, headers }) => validateEvent(body, headers as Record<string, string>, made.secret))
      .filter((event) => 'clientSecret' in event.data && event.data.id === id)
    expect(parsed.map(({ type }) => type)).toEqual(['checkout.created', 'checkout.updated'])
    for (const { data } of parsed) expect(data).toMatchObject({ clientSecret: id, url: `${base_url}/checkout/${id}` })
  })
  expect(JSON.stringify(sink.received.map(({ body }) => body))).not.toContain(clientSecret)
})
