import { setTimeout as pause } from 'node:timers/promises'
import { startEndpointSink, type EndpointSink } from '@quittance/testing/endpoint-sink'
import { eventually } from '@quittance/testing/eventually'
import { scale } from '@quittance/testing/scale'
import { readStream } from '@quittance/testing/stream'
import { startSystem, type StartedSystem } from '@quittance/testing/system'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { waitUntilIdle } from '../wait-until-idle.ts'
import { expectAccepted } from '../sale.ts'

let system: StartedSystem
let sink: EndpointSink
/** Start of the stream of sales; the demo data are older. */
let since: string
let freeProduct: string

const types = [
  'checkout.created',
  'checkout.updated',
  'order.created',
  'order.updated',
  'order.paid',
  'refund.created',
  'order.refunded',
  'payment.created',
  'payment.updated',
]

beforeAll(async () => {
  // Leases of a dead replica expire sooner than in production; the mechanisms are the same. A refund may take three seconds, and more on a
  // busy machine, where each repeated request would add a refund to the load.
  const shortTimeouts = { CONSUMER_ACK_WAIT_MS: '2000', JOB_LEASE_MS: '3000', REQUEST_TIMEOUT_MS: '5000' }
  system = await startSystem({ env: { ...shortTimeouts, RATE_LIMIT_PER_SECOND: '0' }, replicas: 'orders=2' })
  sink = await startEndpointSink()
  const { api, rows } = system
  await waitUntilIdle(system)
  await expectAccepted(() => api('POST', '/v1/webhooks/endpoints', { url: sink.url, events: types }))
  const free = { name: 'Sample', recurring_interval: null, prices: [{ amount_type: 'free' }] }
  freeProduct = (await expectAccepted(() => api('POST', '/v1/products/', free))).id
  since = (await rows<{ now: string }>('orders', 'select now()::text as now'))[0]?.now ?? ''
})
afterAll(async () => {
  await system[Symbol.asyncDispose]()
  await sink[Symbol.asyncDispose]()
})

/** Makes a sale like a client that retries until it succeeds; `kind` selects its outcome. */
async function sellAndRefund({ api, demo }: StartedSystem, kind: number): Promise<void> {
  const products = [kind % 5 === 4 ? freeProduct : demo.product_id]
  const token = ['ctoken_ok', 'ctoken_pending', 'ctoken_ok'][kind % 3]
  const checkout = await expectAccepted(() => api('POST', '/v1/checkouts/', { products, customer_id: demo.customer_id }))
  const confirmation = { confirmation_token_id: token }
  await expectAccepted(() => api('POST', `/v1/checkouts/client/${checkout.client_secret}/confirm`, confirmation), [403])
  const { items } = await expectAccepted(() => api('GET', `/v1/orders/?checkout_id=${checkout.id}`))
  if (items[0].net_amount === 0 || token === 'ctoken_pending') return
  const sale = { order: items[0].id, refunds: kind % 3 }
  if (await isPaidWithin(5000, sale.order)) await refund(sale)
  else postponed.push(sale)
}

/** Sales whose payment a kill interrupted: it is submitted again two minutes later, and its seller does not wait for it. */
const postponed: { order: string; refunds: number }[] = []

async function isPaidWithin(withinMs: number, order: string): Promise<boolean> {
  const wait = eventually(async () => expect((await expectAccepted(() => system.api('GET', `/v1/orders/${order}`))).paid).toBe(true), {
    withinMs,
  })
  return wait.then(
    () => true,
    () => false,
  )
}

/** Refunds an order. A retry after a lost response creates a second refund, which counts. */
async function refund({ order, refunds }: { order: string; refunds: number }): Promise<void> {
  // Small, so that no number of retries refunds an order completely.
  const body = { order_id: order, reason: 'other', amount: 7 }
  for (let count = 0; count < refunds; count++) await expectAccepted(() => system.api('POST', '/v1/refunds/', body))
}

const kills = scale(4, 10)
const salesPerKill = 5
const sellerCount = 6

test('rows have exactly the events of their state, in order, after kills of orders replicas', async () => {
  let killing = true
  let sales = 0
  const seller = async () => {
    while (killing) await sellAndRefund(system, sales++)
  }
  const sellers = Array.from({ length: sellerCount }, seller)
  await killRepeatedly(() => sales)
  killing = false
  await Promise.all(sellers)
  await system.untilReady()
  await waitUntilFinished()
  for (const sale of postponed) await refund(sale)
  await waitUntilFinished()

  const implied = await computeImpliedEvents()
  expect(Object.keys(implied).length).toBeGreaterThanOrEqual(2 * sales)
  expect(sales).toBeGreaterThan(salesPerKill * kills)
  const stream = (await readStream(system.readReadyFile().stream_url)).filter(({ aggregateId }) => aggregateId in implied)
  expect(new Set(stream.map(({ id }) => id)).size).toBe(stream.length)
  expect(groupTypesByAggregate(stream.map(({ aggregateId, subject }) => ({ aggregateId, type: subject.replace('event.', '') })))).toEqual(
    implied,
  )

  await eventually(() => expect(listDelivered().length).toBeGreaterThanOrEqual(stream.length))
  const [delivered, retried] = [groupTypesByAggregate(listDelivered()), await findRetriedAggregates()]
  for (const [id, types] of Object.entries(implied)) {
    if (retried.has(id)) expect(delivered[id]?.toSorted()).toEqual(types.toSorted())
    else expect(delivered[id]).toEqual(types)
  }
  expect(Object.keys(delivered).length).toBe(Object.keys(implied).length)
}, 600_000)

/** Returns aggregates with a failed POST, which a busy machine can cause: later events do not wait for its retry. */
async function findRetriedAggregates(): Promise<Set<string>> {
  const rows = await system.rows<{ id: string }>(
    'webhooks',
    `select distinct d.aggregate_id as id from webhook_attempts a join webhook_deliveries d using (event_id, endpoint_id) where not a.succeeded`,
  )
  return new Set(rows.map(({ id }) => id))
}

/** Kills one replica after the other between sales, after varying durations of work, and finally both at once. */
async function killRepeatedly(countSales: () => number): Promise<void> {
  for (let kill = 0; kill < kills; kill++) {
    await system.untilReady()
    // All sellers may wait for payments that the kill before interrupted.
    await eventually(() => expect(countSales()).toBeGreaterThan(salesPerKill * (kill + 1)), { withinMs: 60_000 })
    await pause(50 + ((kill * 137) % 600))
    if (kill === kills - 1) system.kill('orders')
    else process.kill(system.readReadyFile().services.orders[kill % 2]?.pid ?? 0, 'SIGKILL')
  }
}

/**
 * Waits for all payments, refunds and events. After the lease of the dead replica has expired, a refund whose request was killed is
 * repeated; a payment is read, and submitted again once its object has been untouched for two minutes.
 */
function waitUntilFinished(): Promise<void> {
  const finished = [{ unpublished: 0, unpaid: 0, unrefunded: 0 }]
  return eventually(async () => expect(await countUnfinished()).toEqual(finished), { withinMs: 300_000 })
}

function countUnfinished() {
  return system.rows(
    'orders',
    `select (select count(*)::int from outbox_messages where published_at is null) as unpublished,
      (select count(*)::int from payments where is_open and next_check_at < now() + interval '1 hour') as unpaid,
      (select count(*)::int from refunds where status = 'pending') as unrefunded`,
  )
}

type EventTypes = Record<string, string[]>

/** Returns the events that the rows imply, by order and checkout. */
async function computeImpliedEvents(): Promise<EventTypes> {
  const orders = await system.rows<{ id: string; is_paid: boolean; has_payment: boolean; is_processing: boolean; refunds: number }>(
    'orders',
    `select o.id, o.paid_at is not null as is_paid, exists (select from payments where order_id = o.id) as has_payment,
      exists (select from payments where order_id = o.id and state = 'processing') as is_processing,
      (select count(*)::int from refunds where order_id = o.id) as refunds
      from orders o where o.created_at >= $1::timestamptz`,
    [since],
  )
  const checkouts = await system.rows<{ id: string; status: string; is_free: boolean }>(
    'orders',
    'select id, status, amount = 0 as is_free from checkouts where created_at >= $1::timestamptz',
    [since],
  )
  return Object.fromEntries([
    ...orders.map(({ id, is_paid, has_payment, is_processing, refunds }) => {
      const started = has_payment ? ['payment.created', ...(is_processing ? ['payment.updated'] : [])] : []
      const paid = is_paid ? ['order.updated', 'order.paid', ...(has_payment ? ['payment.updated'] : [])] : []
      const refunded = Array.from({ length: refunds }, () => ['refund.created', 'order.updated', 'order.refunded']).flat()
      return [id, ['order.created', ...started, ...paid, ...refunded]]
    }),
    ...checkouts.map(({ id, status, is_free }) => {
      // A free checkout is confirmed and succeeds at once.
      const updates = { open: 0, confirmed: 1, succeeded: is_free ? 1 : 2 }[status] ?? -1
      return [id, ['checkout.created', ...Array.from({ length: updates }, () => 'checkout.updated')]]
    }),
  ])
}

/** Returns the events that the endpoint received, each once. */
function listDelivered(): { aggregateId: string; type: string }[] {
  const posts = new Map(sink.received.map(({ headers, body }) => [headers['webhook-id'], JSON.parse(body)]))
  return [...posts.values()].map(({ type, data }) => ({ aggregateId: data.order_id ?? data.id, type }))
}

function groupTypesByAggregate(events: { aggregateId: string; type: string }[]): EventTypes {
  const groups = Object.groupBy(events, ({ aggregateId }) => aggregateId)
  return Object.fromEntries(Object.entries(groups).map(([id, group]) => [id, (group ?? []).map(({ type }) => type)]))
}
