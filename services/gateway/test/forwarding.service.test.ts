import { randomUUID } from 'node:crypto'
import { changes } from '@quittance/contracts/changes'
import { hashToken, mintToken } from '@quittance/runtime/credential'
import { organizationCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { bearer, startGateway, verification, verifiedAs } from './start-gateway.ts'

const seller = organizationCaller(randomUUID())
const token = mintToken('qt_oat_')

test('returns a reply byte for byte; sends caller, deadline and request id to the owner', async () => {
  await using gateway = await startGateway()
  await gateway.play(verification, verifiedAs(seller))
  const odd = '{"items" : [1.0,  2e1] , "unknown":"kept"}'
  const calls = await gateway.play('orders.order.list', odd)
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const trace = { traceparent, tracestate: 'vendor=1' }
  const response = await gateway.fetch('/v1/orders?limit=5', { headers: { ...bearer(token), 'x-request-id': 'my-request', ...trace } })
  expect(await response.text()).toBe(odd)
  expect(response.headers.get('x-request-id')).toBe('my-request')
  expect(calls[0]?.body).toEqual({ limit: 5 })
  expect(JSON.parse(calls[0]?.headers['caller'] ?? '')).toEqual(seller)
  expect(calls[0]?.headers).toMatchObject({ 'x-request-id': 'my-request', tracestate: 'vendor=1' })
  expect(calls[0]?.headers['traceparent']).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-01$/)
  expect(response.headers.get('traceresponse')).toBe(calls[0]?.headers['traceparent'])
  expect(Number(calls[0]?.headers['deadline'])).toBeGreaterThan(Date.now())
})

test('forwards only these headers and nothing that a client claims about itself', async () => {
  await using gateway = await startGateway()
  await gateway.play(verification, verifiedAs(seller))
  const calls = await gateway.play('orders.order.list', '{}')
  const forged = { caller: '{"kind":"operator"}', organization: randomUUID(), deadline: '1', 'x-user-id': '1' }
  await gateway.fetch('/v1/orders/', { headers: { ...bearer(token), ...forged } })
  expect(JSON.parse(calls[0]?.headers['caller'] ?? '')).toEqual(seller)
  expect(Object.keys(calls[0]?.headers ?? {}).toSorted()).toEqual([
    'caller',
    'deadline',
    'sender',
    'signature',
    'traceparent',
    'x-request-id',
  ])
})

test('ignores an id in the body that differs from the path', async () => {
  await using gateway = await startGateway()
  await gateway.play(verification, verifiedAs(seller))
  const calls = await gateway.play('orders.order.update', '{}')
  const inPath = randomUUID()
  const body = JSON.stringify({ id: randomUUID(), billing_name: 'Ada' })
  await gateway.fetch(`/v1/orders/${inPath}`, { method: 'PATCH', headers: { ...bearer(token), 'content-type': 'application/json' }, body })
  expect(calls[0]?.body).toEqual({ id: inPath, billing_name: 'Ada' })
})

test('verifies a credential once for concurrent requests, and again after a revocation', async () => {
  await using gateway = await startGateway()
  const verifications = await gateway.play(verification, verifiedAs(seller))
  await gateway.play('orders.order.list', '{}')
  await Promise.all(Array.from({ length: 20 }, () => gateway.fetch('/v1/orders/', { headers: bearer(token) })))
  expect(verifications).toHaveLength(1)
  expect(JSON.stringify(verifications)).not.toContain(token)
  gateway.revoke({ token_hash: hashToken(token) })
  await eventually(async () => {
    await gateway.fetch('/v1/orders/', { headers: bearer(token) })
    expect(verifications).toHaveLength(2)
  })
})

test('returns status, body and Retry-After of an owner’s error unchanged [6]', async () => {
  await using gateway = await startGateway()
  await gateway.play(verification, verifiedAs(seller))
  await gateway.play('orders.order.get', {
    status: 404,
    name: 'ResourceNotFound',
    body: '{"error":"ResourceNotFound","detail":"Not found"}',
    retryAfter: '15',
  })
  const response = await gateway.fetch(`/v1/orders/${randomUUID()}`, { headers: bearer(token) })
  expect([response.status, response.headers.get('retry-after')]).toEqual([404, '15'])
  expect(await response.json()).toEqual({ error: 'ResourceNotFound', detail: 'Not found' })
})

test('returns 503 with Retry-After at once if the owner is not running [114]', async () => {
  await using gateway = await startGateway()
  await gateway.play(verification, verifiedAs(seller))
  const started = Date.now()
  const response = await gateway.fetch('/v1/orders/', { headers: bearer(token) })
  expect(response.status).toBe(503)
  expect(response.headers.get('retry-after')).toBe('1')
  expect(await response.json()).toEqual({ error: 'ServiceUnavailable', detail: 'The orders service is not running.' })
  expect(Date.now() - started).toBeLessThan(1_000)
})

test('returns 405 with the allowed methods for another method of a path', async () => {
  await using gateway = await startGateway()
  const response = await gateway.fetch('/v1/orders/', { method: 'DELETE' })
  expect(response.status).toBe(405)
  expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
})

test('serves the OpenAPI description', async () => {
  await using gateway = await startGateway()
  const description = JSON.parse(await (await gateway.fetch('/openapi.json')).text())
  expect(description.openapi).toBe('3.1.0')
  expect(description.paths['/v1/orders/{id}/invoice'].post.responses).toMatchObject({
    202: {},
    409: { $ref: '#/components/responses/ConflictOrInvoiceAlreadyExists' },
  })
  const { ConflictOrInvoiceAlreadyExists: response } = description.components.responses
  expect(response).toMatchObject({ description: 'Conflict, InvoiceAlreadyExists' })
})

test('marks responses with deprecated fields and serves the change history without login', async () => {
  await using gateway = await startGateway()
  await gateway.play(verification, verifiedAs(seller))
  await gateway.play('orders.order.get', '{}')
  const order = await gateway.fetch(`/v1/orders/${randomUUID()}`, { headers: bearer(token) })
  expect(order.headers.get('deprecation')).toBe('@1741910400')
  expect(order.headers.get('link')).toMatch(/\/v1\/changes>; rel="deprecation"/)
  const history = await gateway.fetch('/v1/changes')
  expect(await history.json()).toEqual({ items: changes })
})

test('rejects an idempotency key that cannot be stored instead of ignoring it', async () => {
  await using gateway = await startGateway()
  await gateway.play(verification, verifiedAs(seller))
  const calls = await gateway.play('orders.product.create', '{}')
  const send = (key: string) =>
    gateway.fetch('/v1/products/', {
      method: 'POST',
      body: '{}',
      headers: { ...bearer(token), 'content-type': 'application/json', 'idempotency-key': key },
    })
  for (const key of ['x'.repeat(256), 'a b', '']) expect((await send(key)).status).toBe(400)
  expect((await send('4f0c')).status).toBe(201)
  expect(calls).toMatchObject([{ headers: { 'idempotency-key': '4f0c' } }])
})
