import { randomUUID } from 'node:crypto'
import { eventually } from '@quittance/testing/eventually'
import { startFakeStripe } from '@quittance/testing/stripe/fake-stripe'
import { signPayload } from '@quittance/testing/stripe/fake-webhooks'
import { startSystem } from '@quittance/testing/system'
import { expect, test } from 'vitest'

test('events of Stripe are verified byte for byte through the gateway; forged ones change nothing [payments 37, 57, 58]', async () => {
  await using fake = await startFakeStripe()
  await using system = await startSystem({ env: { PAYMENT_PROVIDERS: 'stripe', STRIPE_API_URL: fake.url } })
  const { base_url: baseUrl } = system.readReadyFile()
  const { organization, personal_access_token: personal, organization_access_token: shared } = system.demo
  const stripe = fake.createAccount()

  const request = { provider: 'stripe', mode: 'test', secret_key: stripe.apiKey, webhook_secret: stripe.webhookSecret }
  const connect = (token: string, body: object) =>
    fetch(`${baseUrl}/v1/payment-accounts/`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  expect((await connect(shared, request)).status).toBe(403)
  const live = { ...request, secret_key: fake.createAccount({ mode: 'live' }).apiKey, organization_id: organization.id }
  expect((await connect(personal, live)).status).toBe(422)
  const created = await connect(personal, { ...request, organization_id: organization.id })
  expect(created.status).toBe(201)
  const text = await created.text()
  for (const secret of [stripe.apiKey, stripe.webhookSecret]) expect(text).not.toContain(secret)
  const { events_path: path } = JSON.parse(text) as { events_path: string }

  const post = (payload: string, { url = path, body = payload, secret = stripe.webhookSecret } = {}) => {
    const signature = signPayload(payload, { secrets: [secret], timestamp: Math.floor(Date.now() / 1000) })
    return fetch(`${baseUrl}${url}`, { method: 'POST', headers: { 'stripe-signature': signature }, body })
  }
  const stored = () => system.rows<{ provider_event: string }>('orders', 'select provider_event from provider_events')

  const payload = buildEvent('evt_first', 200_000)
  expect((await post(payload)).status).toBe(200)
  expect((await post(payload)).status).toBe(200)
  expect((await post(payload, { body: payload.replace('{', '{ ') })).status).toBe(400)
  expect((await post(payload, { body: payload.replace('\\u00eb', 'ë') })).status).toBe(400)
  expect((await post(payload, { secret: 'whsec_forged' })).status).toBe(400)
  expect((await post(buildEvent('evt_large', 300_000))).status).toBe(413)

  const postToUnknown = async (): Promise<number> => {
    const { status } = await post(buildEvent('evt_unknown', 100), { url: `/v1/payment-accounts/${randomUUID()}/events` })
    // On a busy machine the reply may come too late. Then the event is sent again.
    return status === 503 ? postToUnknown() : status
  }
  for (let sent = 0; sent < 10_000; sent += 200) {
    for (const status of await Promise.all(Array.from({ length: 200 }, postToUnknown))) expect([404, 429]).toContain(status)
  }
  expect(await stored()).toEqual([{ provider_event: 'evt_first' }])
  await eventually(async () => expect((await post(buildEvent('evt_second', 100))).status).toBe(200))
  expect(await stored()).toHaveLength(2)
})

/** An event with spaces, escapes and text beyond ASCII, of about this size. */
function buildEvent(id: string, bytes: number): string {
  const object = `{ "id" : "re_1", "note":"Zo\\u00eb \\/ 💶", "filler": "${'ü'.repeat(bytes / 2)}" }`
  return `{\r\n  "id":"${id}",  "object": "event", "type":"refund.created", "created": 1.79e9, "livemode":false,\n"data":{"object":${object}}}`
}
