import { setTimeout as pause } from 'node:timers/promises'
import { startEndpointSink, type EndpointSink } from '@quittance/testing/endpoint-sink'
import { eventually } from '@quittance/testing/eventually'
import { readStream } from '@quittance/testing/stream'
import { startSystem, type StartedSystem } from '@quittance/testing/system'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { untilQuiet } from '../quiet.ts'
import { accepted } from '../sale.ts'

let system: StartedSystem
let sink: EndpointSink
/** When the stream of sales begins; the demo data are older. */
let since: string
let freeProduct: string

const types = ['checkout.created', 'checkout.updated', 'order.created', 'order.updated', 'order.paid', 'refund.created', 'order.refunded']

beforeAll(async () => {
  // What a dead replica held is given up sooner than in production; the mechanisms are the same.
  const quick = { CONSUMER_ACK_WAIT_MS: '2000', JOB_LEASE_MS: '3000', REQUEST_TIMEOUT_MS: '1500' }
  system = await startSystem({ env: { ...quick, RATE_LIMIT_PER_SECOND: '0' }, replicas: 'orders=2' })
  sink = await startEndpointSink()
  const { api, rows } = system
  await untilQuiet(system)
  await accepted(() => api('POST', '/v1/webhooks/endpoints', { url: sink.url, events: types }))
  const free = { name: 'Sample', recurring_interval: null, prices: [{ amount_type: 'free' }] }
  freeProduct = (await accepted(() => api('POST', '/v1/products/', free))).id
  since = (await rows<{ now: string }>('orders', 'select now()::text as now'))[0]?.now ?? ''
})
afterAll(async () => {
  await system[Symbol.asyncDispose]()
  await sink[Symbol.asyncDispose]()
})

/** A sale by a client that asks again until it is heard; `kind` says how it ends. */
async function sellAndRefund({ api, demo }: StartedSystem, kind: number): Promise<void> {
  const products = [kind % 5 === 4 ? freeProduct : demo.product_id]
  const token = ['ctoken_ok', 'ctoken_pending', 'ctoken_ok'][kind % 3]
  const checkout = await accepted(() => api('POST', '/v1/checkouts/', { products, customer_id: demo.customer_id }))
  const confirmation = { confirmation_token_id: token }
  await accepted(() => api('POST', `/v1/checkouts/client/${checkout.client_secret}/confirm`, confirmation), [403])
  const { items } = await accepted(() => api('GET', `/v1/orders/?checkout_id=${checkout.id}`))
  if (items[0].net_amount === 0 || token === 'ctoken_pending') return
  const refund = { order_id: items[0].id, reason: 'other', amount: 700 }
  // Until it is paid there is nothing to give back: 404, and asked again. An answer that got lost makes a second refund, which counts.
  for (let count = 0; count < kind % 3; count++) await accepted(() => api('POST', '/v1/refunds/', refund))
}

const kills = 10
const atOnce = 6

test('replicas of orders are killed in a stream of sales and refunds: every row has told exactly what its state implies, in order', async () => {
  let killing = true
  let sales = 0
  const seller = async () => {
    while (killing) await sellAndRefund(system, sales++)
  }
  const sellers = Array.from({ length: atOnce }, seller)
  await killAgainAndAgain()
  killing = false
  await Promise.all(sellers)
  await system.untilReady()
  await eventually(async () => expect(await unfinished()).toEqual([{ untold: 0, unpaid: 0 }]))

  const implied = await impliedEvents()
  expect(Object.keys(implied).length).toBeGreaterThanOrEqual(2 * sales)
  expect(sales).toBeGreaterThan(5 * kills)
  const stream = (await readStream(system.facts().nats_url)).filter(({ aggregateId }) => aggregateId in implied)
  expect(new Set(stream.map(({ id }) => id)).size).toBe(stream.length)
  expect(typesByAggregate(stream.map(({ aggregateId, subject }) => ({ aggregateId, type: subject.replace('event.', '') })))).toEqual(
    implied,
  )

  await eventually(() => expect(heard().length).toBeGreaterThanOrEqual(stream.length))
  const [told, repeated] = [typesByAggregate(heard()), await triedAgain()]
  for (const [id, types] of Object.entries(implied)) {
    if (repeated.has(id)) expect(told[id]?.toSorted()).toEqual(types.toSorted())
    else expect(told[id]).toEqual(types)
  }
  expect(Object.keys(told).length).toBe(Object.keys(implied).length)
}, 300_000)

/** Aggregates of which a first POST failed, as it may on a machine that is too busy to connect: later events do not wait for its repetition. */
async function triedAgain(): Promise<Set<string>> {
  const rows = await system.rows<{ id: string }>(
    'webhooks',
    `select distinct d.aggregate_id as id from webhook_attempts a join webhook_deliveries d using (event_id, endpoint_id) where not a.succeeded`,
  )
  return new Set(rows.map(({ id }) => id))
}

/** One replica after the other, each time after it took work for a moment of another length; at last both at once. */
async function killAgainAndAgain(): Promise<void> {
  for (let kill = 0; kill < kills; kill++) {
    await system.untilReady()
    await pause(50 + ((kill * 137) % 600))
    if (kill === kills - 1) system.kill('orders')
    else process.kill(system.facts().services.orders[kill % 2]?.pid ?? 0, 'SIGKILL')
  }
}

function unfinished() {
  return system.rows(
    'orders',
    `select (select count(*)::int from outbox_messages where published_at is null) as untold,
      (select count(*)::int from payments where status = 'pending' and due_at is not null) as unpaid`,
  )
}

type Told = Record<string, string[]>

/** What the rows say must have been told, by order and checkout. */
async function impliedEvents(): Promise<Told> {
  const orders = await system.rows<{ id: string; is_paid: boolean; refunds: number }>(
    'orders',
    `select o.id, o.paid_at is not null as is_paid, (select count(*)::int from refunds where order_id = o.id) as refunds
      from orders o where o.created_at >= $1::timestamptz`,
    [since],
  )
  const checkouts = await system.rows<{ id: string; status: string; is_free: boolean }>(
    'orders',
    'select id, status, amount = 0 as is_free from checkouts where created_at >= $1::timestamptz',
    [since],
  )
  return Object.fromEntries([
    ...orders.map(({ id, is_paid, refunds }) => {
      const paid = is_paid ? ['order.updated', 'order.paid'] : []
      const refunded = Array.from({ length: refunds }, () => ['refund.created', 'order.updated', 'order.refunded']).flat()
      return [id, ['order.created', ...paid, ...refunded]]
    }),
    ...checkouts.map(({ id, status, is_free }) => {
      // A free one is confirmed and succeeds at once.
      const updates = { open: 0, confirmed: 1, succeeded: is_free ? 1 : 2 }[status] ?? -1
      return [id, ['checkout.created', ...Array.from({ length: updates }, () => 'checkout.updated')]]
    }),
  ])
}

/** What the endpoint was sent, each event once. */
function heard(): { aggregateId: string; type: string }[] {
  const posts = new Map(sink.received.map(({ headers, body }) => [headers['webhook-id'], JSON.parse(body)]))
  return [...posts.values()].map(({ type, data }) => ({ aggregateId: data.order_id ?? data.id, type }))
}

function typesByAggregate(events: { aggregateId: string; type: string }[]): Told {
  const groups = Object.groupBy(events, ({ aggregateId }) => aggregateId)
  return Object.fromEntries(Object.entries(groups).map(([id, group]) => [id, (group ?? []).map(({ type }) => type)]))
}
