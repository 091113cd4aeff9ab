import { randomUUID } from 'node:crypto'
import { Polar } from '@polar-sh/sdk'
import { HTTPValidationError } from '@polar-sh/sdk/models/errors/httpvalidationerror.js'
import { NotOpenCheckout } from '@polar-sh/sdk/models/errors/notopencheckout.js'
import { RefundAmountTooHigh } from '@polar-sh/sdk/models/errors/refundamounttoohigh.js'
import { RefundedAlready } from '@polar-sh/sdk/models/errors/refundedalready.js'
import { ResourceNotFound } from '@polar-sh/sdk/models/errors/resourcenotfound.js'
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

async function aPaidOrder(): Promise<string> {
  const { clientSecret, id: checkoutId } = await polar.checkouts.create({ products: [system.demo.product_id] })
  const buyer = { confirmationTokenId: 'ctoken_ok', customerEmail: `${randomUUID()}@example.com` }
  await polar.checkouts.clientConfirm({ clientSecret, checkoutConfirmStripe: buyer })
  return eventually(async () => {
    const { result } = await polar.orders.list({ checkoutId })
    expect(result.items).toMatchObject([{ status: 'paid' }])
    return result.items[0]?.id ?? ''
  })
}

test('the unmodified client refunds in parts up to the total and verifies three ordered events', async () => {
  await using sink = await startEndpointSink()
  const secret = 'a secret of my own'
  const events = ['refund.created' as const, 'order.updated' as const, 'order.refunded' as const]
  const endpoint = await polar.webhooks.createWebhookEndpoint({ url: sink.url, format: 'raw', secret, events })
  // The endpoint also receives the payment: the order may be shown as paid before or after its event is published.
  const orderId = await aPaidOrder()
  const order = await polar.orders.get({ id: orderId })
  const refund = (amount: number) => polar.refunds.create({ orderId, reason: 'customer_request', amount })
  await expect(refund(order.netAmount + 1)).rejects.toBeInstanceOf(RefundAmountTooHigh)
  const part = await refund(100)
  expect(part).toMatchObject({ amount: 100, status: 'succeeded', orderId })
  await eventually(() => {
    const heard = sink.received
      .map(({ body, headers }) => validateEvent(body, headers as Record<string, string>, secret))
      .filter(({ data }) => [data.id, 'orderId' in data && data.orderId].includes(orderId))
    expect(heard.map(({ type }) => type)).toEqual(['order.updated', ...events])
    expect(heard[3]?.data).toMatchObject({ id: orderId, status: 'partially_refunded', refundedAmount: 100 })
  })
  await refund(order.netAmount - 100)
  await expect(refund(1)).rejects.toBeInstanceOf(RefundedAlready)
  expect(await polar.orders.get({ id: orderId })).toMatchObject({ status: 'refunded', paid: true })
  const { result } = await polar.refunds.list({ orderId, succeeded: true, sorting: ['amount'] })
  expect(result.items[0]).toEqual(part)
  expect(result.pagination.totalCount).toBe(2)
  await polar.webhooks.deleteWebhookEndpoint({ id: endpoint.id })
})

test('it changes and deletes discounts', async () => {
  const { id } = await polar.discounts.create({ name: 'Launch', type: 'percentage', basisPoints: 1000, duration: 'once', code: 'FIRST' })
  const changed = await polar.discounts.update({ id, discountUpdate: { name: 'Spring', basisPoints: 2000 } })
  expect(changed).toMatchObject({ name: 'Spring', basisPoints: 2000, code: 'FIRST' })
  await expect(polar.discounts.update({ id, discountUpdate: { type: 'fixed' } })).rejects.toBeInstanceOf(HTTPValidationError)
  await polar.discounts.delete({ id })
  await expect(polar.discounts.get({ id })).rejects.toBeInstanceOf(ResourceNotFound)
  await expect(polar.discounts.delete({ id })).rejects.toBeInstanceOf(ResourceNotFound)
})

test('it changes open checkouts as the seller and as the buyer', async () => {
  const checkout = await polar.checkouts.create({ products: [system.demo.product_id] })
  const { id, clientSecret } = checkout
  expect(await polar.checkouts.update({ id, checkoutUpdate: { metadata: { cart: 1 } } })).toMatchObject({ metadata: { cart: 1 } })
  const buyer = { customerEmail: 'grace@example.com', customerName: 'Grace Hopper' }
  expect(await polar.checkouts.clientUpdate({ clientSecret, checkoutUpdatePublic: buyer })).toMatchObject(buyer)
  await polar.checkouts.clientConfirm({ clientSecret, checkoutConfirmStripe: { confirmationTokenId: 'ctoken_pending' } })
  await expect(polar.checkouts.clientUpdate({ clientSecret, checkoutUpdatePublic: {} })).rejects.toBeInstanceOf(NotOpenCheckout)
  await expect(polar.checkouts.update({ id, checkoutUpdate: {} })).rejects.toBeInstanceOf(NotOpenCheckout)
})

test('repeats no POST with the same Idempotency-Key, announces deprecated fields, exports CSV', async () => {
  const { base_url } = system.readReadyFile()
  const token = system.demo.organization_access_token
  const create = (email: string) =>
    fetch(`${base_url}/v1/customers/`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'idempotency-key': 'one-customer' },
      body: JSON.stringify({ email }),
    })
  const [first, again] = [await create('hedy@example.com'), await create('hedy@example.com')]
  expect([first.status, again.status]).toEqual([201, 201])
  expect(await again.json()).toEqual(await first.json())
  expect((await create('mary@example.com')).status).toBe(422)
  const orders = await callApi(`${base_url}/v1/orders/`, { method: 'GET', token })
  expect(orders.headers.get('deprecation')).toBe('@1741910400')
  const csv = await fetch(`${base_url}/v1/orders/export`, { headers: { authorization: `Bearer ${token}` } })
  const lines = (await csv.text()).trimEnd().split('\r\n')
  expect(lines).toHaveLength(1 + orders.body.pagination.total_count)
  expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8')
})
