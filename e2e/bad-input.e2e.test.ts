import { randomUUID } from 'node:crypto'
import { useSharedSystem } from '@quittance/testing/use-shared-system'
import { callApi, type RunningSystem } from '@quittance/testing/system'
import { Client } from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'
import { waitUntilIdle } from './wait-until-idle.ts'
import { waitUntilRejected } from '@quittance/testing/wait-until-rejected'
import { buyer } from './sale.ts'

let system: RunningSystem

beforeAll(async () => {
  system = await useSharedSystem()
  await waitUntilIdle(system)
})

const uuidV1 = 'c232ab00-9414-11ec-b3c8-9f6bdeced846'
const uuidV7 = '017f22e2-79b0-7cc3-98c4-dc0c0c07398f'

describe('bad input returns a clear 4xx and writes nothing [12]', () => {
  test.each<[string, { method: string; path: string; body?: unknown }, number]>([
    ['malformed JSON', { method: 'POST', path: '/v1/products/', body: '{"name":' }, 422],
    ['JSON that is not an object', { method: 'POST', path: '/v1/products/', body: [1, 2] }, 422],
    ['wrong types', { method: 'POST', path: '/v1/products/', body: { name: 7, recurring_interval: 'week', prices: 'free' } }, 422],
    ['a missing body', { method: 'POST', path: '/v1/customers/' }, 422],
    ['a price that is not an integer', { method: 'POST', path: '/v1/products/', body: product(49.5) }, 422],
    ['a price beyond the integer range', { method: 'POST', path: '/v1/products/', body: product(1e300) }, 422],
    ['a NUL character', { method: 'POST', path: '/v1/customers/', body: { email: 'a@example.com', name: 'a\u0000b' } }, 422],
    ['a lone surrogate', { method: 'POST', path: '/v1/customers/', body: '{"email":"b@example.com","name":"\\ud800"}' }, 422],
    ['an unknown id', { method: 'GET', path: `/v1/orders/${randomUUID()}` }, 404],
    ['an id that is not a UUID', { method: 'GET', path: '/v1/orders/1' }, 422],
    ['a UUID of version 1', { method: 'GET', path: `/v1/orders/${uuidV1}` }, 422],
    ['a UUID of version 7', { method: 'PATCH', path: `/v1/orders/${uuidV7}`, body: buyer }, 422],
    ['the nil UUID', { method: 'GET', path: '/v1/orders/00000000-0000-0000-0000-000000000000' }, 422],
    ['an id with a quote in it', { method: 'GET', path: `/v1/orders/'%20or%20''='` }, 422],
    ['a broken percent-encoding', { method: 'GET', path: '/v1/orders/%E0%A4%A' }, 400],
    ['a page that is not a number', { method: 'GET', path: '/v1/orders/?page=x' }, 422],
    ['page zero', { method: 'GET', path: '/v1/orders/?page=0' }, 422],
    ['an unknown sorting criterion', { method: 'GET', path: '/v1/orders/?sorting=password' }, 422],
    ['an unknown path', { method: 'GET', path: '/v1/nothing' }, 404],
    ['an unsupported method', { method: 'DELETE', path: '/v1/orders/' }, 405],
    [
      'an address without a country',
      { method: 'PATCH', path: `/v1/orders/${randomUUID()}`, body: { billing_address: { city: 'X' } } },
      422,
    ],
  ])('%s', async (_, { method, path, body }, status) => {
    const before = await countRows()
    const response = await system.api(method, path, body)
    expect(response.body).toEqual({ error: expect.any(String), detail: expect.anything() })
    expect(response.status).toBe(status)
    expect(await countRows()).toEqual(before)
  })

  test('returns 413 for a body larger than the limit', async () => {
    const response = await system.api('POST', '/v1/products/', { name: 'x'.repeat(600_000) })
    expect(response).toMatchObject({ status: 413, body: { error: 'ContentTooLarge' } })
  })

  test('returns 415 for a body that is not JSON', async () => {
    const url = `${system.readReadyFile().base_url}/v1/products/`
    const headers = { authorization: `Bearer ${system.demo.organization_access_token}`, 'content-type': 'text/xml' }
    const response = await fetch(url, { method: 'POST', headers, body: '<product/>' })
    expect(response.status).toBe(415)
    expect(await response.json()).toMatchObject({ error: 'UnsupportedMediaType' })
  })

  test('returns 404 for ids of another organization', async () => {
    const { demo } = system
    const foreignToken = demo.second_organization.organization_access_token
    const call = (method: string, path: string, body?: unknown) =>
      callApi(`${system.readReadyFile().base_url}${path}`, { method, token: foreignToken, body })
    for (const [method, path, body] of [
      ['GET', `/v1/orders/${demo.paid_order_id}`],
      ['PATCH', `/v1/orders/${demo.paid_order_id}`, buyer],
      ['POST', `/v1/orders/${demo.paid_order_id}/invoice`],
      ['GET', `/v1/orders/${demo.paid_order_id}/invoice`],
      ['GET', `/v1/products/${demo.product_id}`],
      ['GET', `/v1/customers/${demo.customer_id}`],
    ] as const) {
      expect(await call(method, path, body)).toMatchObject({ status: 404, body: { error: 'ResourceNotFound' } })
    }
  })
})

describe('credentials', () => {
  const url = () => `${system.readReadyFile().base_url}/v1/orders/`

  test('without a token: returns 401 with a challenge', async () => {
    const response = await callApi(url(), { method: 'GET', token: null })
    expect(response).toMatchObject({ status: 401, body: { error: 'Unauthorized' } })
    expect(response.headers.get('www-authenticate')).toBe(
      `Bearer realm="quittance", resource_metadata="${system.readReadyFile().base_url}/.well-known/oauth-protected-resource"`,
    )
  })

  test('returns 401 invalid_token for an unknown token', async () => {
    const response = await callApi(url(), { method: 'GET', token: 'qt_oat_unknown' })
    expect(response).toMatchObject({ status: 401, body: { error: 'invalid_token' } })
    expect(response.headers.get('www-authenticate')).toContain('error="invalid_token"')
  })

  test('returns 403 naming the missing scope, and 401 within a second of revocation [15]', async () => {
    const { base_url } = system.readReadyFile()
    const personalToken = system.demo.personal_access_token
    const tokenRequest = { organization_id: system.demo.organization.id, scopes: ['products:read'] }
    const created = await callApi(`${base_url}/v1/organization-access-tokens/`, {
      method: 'POST',
      token: personalToken,
      body: tokenRequest,
    })
    const { token, organization_access_token } = created.body
    const rejected = await callApi(url(), { method: 'GET', token })
    expect(rejected).toMatchObject({ status: 403, body: { error: 'insufficient_scope' } })
    expect(rejected.headers.get('www-authenticate')).toContain('scope="orders:read"')
    expect((await callApi(`${base_url}/v1/products/`, { method: 'GET', token })).status).toBe(200)
    const revocation = `${base_url}/v1/organization-access-tokens/${organization_access_token.id}`
    expect((await callApi(revocation, { method: 'DELETE', token: personalToken })).status).toBe(204)
    await waitUntilRejected(1_000, () => callApi(`${base_url}/v1/products/`, { method: 'GET', token }))
  })
})

function product(amount: number) {
  return { name: 'A product', recurring_interval: null, prices: [{ amount_type: 'fixed', price_amount: amount }] }
}

/** Counts the rows of every table that a request of this file could write to. */
async function countRows(): Promise<unknown> {
  const url = new URL(system.readReadyFile().postgres_url ?? '')
  url.pathname = '/orders'
  const client = new Client({ connectionString: url.href })
  await client.connect()
  const { rows } = await client.query(
    `select (select count(*) from products) as products, (select count(*) from customers) as customers, (select count(*) from outbox_messages) as events`,
  )
  await client.end()
  return rows
}
