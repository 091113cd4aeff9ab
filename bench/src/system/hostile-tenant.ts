/** A tenant that does with its own credentials everything that could slow down others, until it is stopped. */
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { crc32, deflateSync } from 'node:zlib'
import { Agent, fetch } from 'undici'
import { inDatabase } from './deliveries.ts'
import type { Quittance } from './quittance.ts'
import { makeSellers } from './sellers.ts'

export interface HostileTenant extends AsyncDisposable {
  /** Responses by attack and status. */
  responses: ReadonlyMap<string, number>
}

/** Each attack uses a separate address of the loopback interface: the rate limit of one address is not what is measured. */
const addresses = { bodies: '127.0.0.2', pictures: '127.0.0.3', refunds: '127.0.0.4', locks: '127.0.0.5' } as const
type Attack = keyof typeof addresses

const orders = 400
const bodiesPerSecond = 90
const concurrentWrites = 64

export async function startHostileTenant(quittance: Quittance): Promise<HostileTenant> {
  const { second_organization: organization } = quittance.demo
  await makeSellers(quittance.ordersDatabaseUrl, [{ organizationId: organization.id, kind: 'hostile', orders }])
  await inDatabase(quittance.ordersDatabaseUrl, async (client) => {
    for (const statement of paid) await client.query(statement, [organization.id])
  })
  const responses = new Map<string, number>()
  const stop = new AbortController()
  const api = createApi(quittance, { token: organization.organization_access_token, signal: stop.signal, responses })
  const { items } = (await (await api('locks', { method: 'GET', path: '/v1/orders/?limit=100' })).json()) as { items: Order[] }
  const running = [
    sendUnfinishedBodies(quittance, stop.signal),
    uploadPictures(api, { items, signal: stop.signal }),
    collideNumbers(api, { items, slug: organization.slug, signal: stop.signal }),
    ...Array.from({ length: concurrentWrites }, () => fightForLocks(api, { items, signal: stop.signal })),
  ]
  return {
    responses,
    async [Symbol.asyncDispose]() {
      stop.abort()
      await Promise.allSettled(running)
    },
  }
}

/** Billing details for invoices, payments for refunds. */
const paid = [
  `update orders set billing_name = 'Hostile Ltd.', billing_address =
     '{"line1": "1 Row", "line2": null, "postal_code": "SW1Y 4JH", "city": "London", "state": null, "country": "GB"}' where organization_id = $1`,
  `insert into payments (id, created_at, organization_id, order_id, amount, currency, confirmation_token, status)
     select gen_random_uuid(), now(), organization_id, id, total_amount, currency, 'ctoken_ok', 'succeeded' from orders where organization_id = $1`,
]

interface Order {
  id: string
  customer_id: string
}

interface ApiCall {
  method: string
  path: string
  body?: unknown
}

type Api = (attack: Attack, call: ApiCall) => Promise<Response>
type Response = Awaited<ReturnType<typeof fetch>>

interface ApiOptions {
  token: string
  signal: AbortSignal
  responses: Map<string, number>
}

function createApi({ origin }: Quittance, { token, signal, responses }: ApiOptions): Api {
  const agents = new Map(Object.entries(addresses).map(([attack, localAddress]) => [attack, new Agent({ localAddress })]))
  return async (attack, { method, path, body }) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const dispatcher = agents.get(attack) as Agent
    const response = await fetch(`${origin}${path}`, {
      method,
      headers,
      dispatcher,
      signal,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const key = `${attack} ${method} ${response.status}`
    responses.set(key, (responses.get(key) ?? 0) + 1)
    return response
  }
}

/** Requests with a head and no body, within the rate limit. */
async function sendUnfinishedBodies({ origin }: Quittance, signal: AbortSignal): Promise<void> {
  const { hostname: host, port } = new URL(origin)
  const head = 'POST /v1/products/ HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n'
  while (!signal.aborted) {
    const socket = connect({ host, port: Number(port), localAddress: addresses.bodies }, () => socket.write(head))
    socket.on('error', () => {})
    signal.addEventListener('abort', () => socket.destroy(), { once: true })
    await delay(1_000 / bodiesPerSecond)
  }
}

interface Target {
  items: readonly Order[]
  signal: AbortSignal
}

/** A picture of 16,000 pixels a side in 31 kB as the logo, then invoices that show it. */
async function uploadPictures(api: Api, { items, signal }: Target): Promise<void> {
  const logo = `data:image/png;base64,${createPng(16_000).toString('base64')}`
  await api('pictures', { method: 'PATCH', path: '/v1/invoices/settings', body: { logo } })
  for (const { id } of items) {
    if (signal.aborted) return
    await api('pictures', { method: 'POST', path: `/v1/orders/${id}/invoice` })
    await delay(250)
  }
}

/** Numbers of invoices that are those of later credit notes, then refunds of a cent. */
async function collideNumbers(api: Api, { items, slug, signal }: Target & { slug: string }): Promise<void> {
  await api('refunds', { method: 'PATCH', path: '/v1/invoices/settings', body: { invoice_prefix: `CN-${slug.slice(0, 6).toUpperCase()}` } })
  await api('refunds', { method: 'POST', path: `/v1/orders/${items.at(-1)?.id}/invoice` })
  await api('refunds', { method: 'PATCH', path: '/v1/invoices/settings', body: { invoice_prefix: null } })
  while (!signal.aborted) {
    for (const { id: order_id } of items.slice(0, 4)) {
      await api('refunds', { method: 'POST', path: '/v1/refunds/', body: { order_id, reason: 'other', amount: 1 } })
    }
    await delay(500)
  }
}

/** Writes to one customer, which wait for each other and hold connections of the service. */
async function fightForLocks(api: Api, { items, signal }: Target): Promise<void> {
  const path = `/v1/customers/${items[0]?.customer_id}`
  for (let turn = 0; !signal.aborted; turn++) {
    const response = await api('locks', { method: 'PATCH', path, body: { name: `Name ${turn}` } })
    await response.arrayBuffer()
    if (response.status === 429) await delay(1_000)
  }
}

/** Creates a white PNG in one bit per pixel. */
function createPng(side: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  header[8] = 1
  const pixels = deflateSync(Buffer.alloc(side * (1 + Math.ceil(side / 8)), 0), { level: 9 })
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type), data])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(data.length, 0)
  frame.writeUInt32BE(crc32(content), 4)
  return Buffer.concat([frame.subarray(0, 4), content, frame.subarray(4)])
}
