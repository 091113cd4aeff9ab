import { randomUUID } from 'node:crypto'
import { useSharedSystem } from '@quittance/testing/use-shared-system'
import { callApi, type RunningSystem } from '@quittance/testing/system'
import { beforeAll, expect, test } from 'vitest'

let system: RunningSystem
beforeAll(async () => {
  system = await useSharedSystem()
})

const event = { name: 'tokens.used', external_customer_id: 'reader-1' }

/** Sends a body as bytes. */
async function post(body: string): Promise<{ status: number; body: { error: string; inserted?: number } }> {
  const response = await fetch(`${system.readReadyFile().base_url}/v1/events/ingest`, {
    method: 'POST',
    headers: { authorization: `Bearer ${system.demo.organization_access_token}`, 'content-type': 'application/json' },
    body,
  })
  return { status: response.status, body: (await response.json()) as { error: string; inserted?: number } }
}

test('takes almost 2 MiB of events; more is 413, also after numbers are written out [usage 7]', async () => {
  const metadata = Object.fromEntries(Array.from({ length: 4 }, (_, index) => [`key-${index}`, 'x'.repeat(490)]))
  const body = JSON.stringify({ events: Array.from({ length: 1_000 }, () => ({ ...event, metadata })) })
  expect(body.length).toBeGreaterThan(2_000_000)
  expect(await post(body)).toMatchObject({ status: 200, body: { inserted: 1_000 } })
  expect(await post(body.padEnd(2 * 1024 * 1024 + 1))).toMatchObject({ status: 413, body: { error: 'ContentTooLarge' } })
  expect((await post(`{"events":[${Array.from({ length: 400_000 }, () => '1e20').join(',')}]}`)).status).toBe(413)
})

test('rejects numbers that cannot be stored [usage 18]', async () => {
  const send = (value: string) => post(JSON.stringify({ events: [{ ...event, metadata: { a: 0 } }] }).replace('"a":0', `"a":${value}`))
  for (const value of ['9'.repeat(400), '-1e400', '1e19', 'null', '"\\u0000"', '"\\ud800"']) expect((await send(value)).status).toBe(422)
  expect((await send('12345678901234567')).status).toBe(200)
})

test('needs the scope events:write to send, and events:read or events:write to read', async () => {
  const base = system.readReadyFile().base_url
  const anonymous = await callApi(`${base}/v1/events/ingest`, { method: 'POST', token: null, body: { events: [event] } })
  expect(anonymous.status).toBe(401)
  const { body: session } = await system.api('POST', '/v1/customer-sessions/', { customer_id: system.demo.customer_id })
  const asCustomer = await callApi(`${base}/v1/events/`, { method: 'GET', token: session.token })
  expect([401, 403]).toContain(asCustomer.status)
})

test('takes events of a customer right after their creation, 1,000 times [usage 17]', async () => {
  const statuses: number[] = []
  const createAndSend = async () => {
    const { body: customer } = await system.api('POST', '/v1/customers/', { email: `${randomUUID()}@example.com` })
    const { status } = await system.api('POST', '/v1/events/ingest', { events: [{ name: 'tokens.used', customer_id: customer.id }] })
    statuses.push(status)
  }
  for (let round = 0; round < 125; round++) await Promise.all(Array.from({ length: 8 }, createAndSend))
  expect(statuses.filter((status) => status !== 200)).toEqual([])
}, 180_000)
