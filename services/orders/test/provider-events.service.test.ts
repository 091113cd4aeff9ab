import { randomUUID } from 'node:crypto'
import { ResourceNotFound } from '@quittance/contracts/errors'
import { createPaymentAccount, updatePaymentAccount } from '@quittance/contracts/payment-accounts'
import { InvalidSignature, receiveProviderEvent } from '@quittance/contracts/provider-events'
import { signPayload } from '@quittance/testing/stripe/fake-webhooks'
import { expect, test } from 'vitest'
import { countCalls, buildAccountRequest, startStripeShop, type StripeShop } from './stripe-shop.ts'

const anonymous = { kind: 'anonymous' } as const

interface Posted {
  id?: string
  secrets?: string[]
  ageSeconds?: number
  payload?: string
}

function buildEvent(type = 'refund.created', id = `evt_${randomUUID()}`): string {
  const created = Math.floor(Date.now() / 1000)
  const event = { id, object: 'event', type, created, livemode: false, data: { object: { id: 're_1', note: 'Zoë \\u00e9' } } }
  return JSON.stringify(event, null, 2)
}

/** Posts an event as the gateway does. */
function post({ orders, account, stripe }: StripeShop, { id = account.id, secrets, ageSeconds = 0, payload = buildEvent() }: Posted) {
  const timestamp = Math.floor(Date.now() / 1000) - ageSeconds
  const signature = signPayload(payload, { secrets: secrets ?? [stripe.webhookSecret], timestamp })
  const headers = { 'stripe-signature': signature }
  return orders.call(receiveProviderEvent, { id, headers, body: Buffer.from(payload).toString('base64') }, anonymous)
}

const count = ({ orders }: StripeShop) => orders.rows('select provider_event, object_kind, object, source from provider_events')

test('stores an event once, however often it arrives [payments 38]', async () => {
  await using shop = await startStripeShop()
  const payload = buildEvent('refund.created', 'evt_once')
  const before = shop.fake.calls.length
  await Promise.all(Array.from({ length: 10 }, () => post(shop, { payload })))
  expect(await count(shop)).toEqual([{ provider_event: 'evt_once', object_kind: 'refund', object: 're_1', source: 'push' }])
  const background = new Set(['GET /v1/events', 'GET /v1/refunds/:id'])
  expect(shop.fake.calls.slice(before).filter(({ route }) => !background.has(route))).toEqual([])
})

test('rejects events without a valid signature, and stores nothing [payments 36]', async () => {
  await using shop = await startStripeShop()
  await expect(post(shop, { secrets: ['whsec_unknown'] })).rejects.toThrow(InvalidSignature)
  await expect(post(shop, { ageSeconds: 301 })).rejects.toThrow(InvalidSignature)
  const body = Buffer.from(buildEvent()).toString('base64')
  for (const headers of [{}, { 'stripe-signature': '' }, { 'stripe-signature': 't=1,v1=00' }] as Record<string, string>[]) {
    await expect(shop.orders.call(receiveProviderEvent, { id: shop.account.id, headers, body }, anonymous)).rejects.toThrow(
      InvalidSignature,
    )
  }
  expect(await count(shop)).toEqual([])
})

test('stores no signed event whose ids or time are not those of the provider', async () => {
  await using shop = await startStripeShop()
  const event = JSON.parse(buildEvent()) as object
  for (const values of [
    { id: 'evt_\0' },
    { id: 'x'.repeat(100_000) },
    { id: 7 },
    { data: { object: { id: 're_\0' } } },
    { data: { object: { id: '../balance' } } },
    { created: 1e12 },
    { created: -1e12 },
    { created: null, data: { object: { id: '' } } },
  ])
    expect(await post(shop, { payload: JSON.stringify({ ...event, ...values }) })).toEqual({ received: true })
  expect(await count(shop)).toEqual([])
})

test('rejects an event at the path of another account, and at one without a secret [payments 42]', async () => {
  await using shop = await startStripeShop()
  const { orders, fake } = shop
  const other = await orders.call(createPaymentAccount, buildAccountRequest(fake.createAccount()), shop.shop.seller)
  await expect(post(shop, { id: other.id })).rejects.toThrow(InvalidSignature)
  const { webhook_secret: _, ...request } = buildAccountRequest(fake.createAccount())
  const bare = await orders.call(createPaymentAccount, request, shop.shop.seller)
  await expect(post(shop, { id: bare.id })).rejects.toThrow(InvalidSignature)
  expect(await count(shop)).toEqual([])
})

test('rejects events of unknown and disabled accounts, writes nothing and calls nothing', async () => {
  await using shop = await startStripeShop()
  const before = countCalls(shop)
  for (let round = 0; round < 10; round += 1) {
    const posted = Array.from({ length: 100 }, () => post(shop, { id: randomUUID() }).catch((error: unknown) => error))
    for (const error of await Promise.all(posted)) expect(error).toBeInstanceOf(ResourceNotFound)
  }
  await shop.orders.call(updatePaymentAccount, { id: shop.account.id, status: 'disabled' }, shop.shop.seller)
  await expect(post(shop, {})).rejects.toThrow(ResourceNotFound)
  expect(await count(shop)).toEqual([])
  expect(countCalls(shop)).toBe(before)
})

test('accepts both secrets during a rotation, and after a day only the new one', async () => {
  await using shop = await startStripeShop()
  await shop.orders.call(updatePaymentAccount, { id: shop.account.id, webhook_secret: 'whsec_second' }, shop.shop.seller)
  await post(shop, {})
  await post(shop, { secrets: ['whsec_second'] })
  expect(await count(shop)).toHaveLength(2)
  await shop.orders.rows(
    `update payment_accounts set settings = settings || jsonb_build_object('webhook_secret_added_at', now() - interval '25 hours')`,
  )
  await expect(post(shop, {})).rejects.toThrow(InvalidSignature)
  await post(shop, { secrets: ['whsec_second'] })
})

test('accepts and forgets events about nothing that is read', async () => {
  await using shop = await startStripeShop()
  expect(await post(shop, { payload: buildEvent('customer.created') })).toEqual({ received: true })
  expect(await post(shop, { payload: buildEvent('payment_intent.succeeded') })).toEqual({ received: true })
  expect(await count(shop)).toEqual([])
})
