import { randomUUID } from 'node:crypto'
import { pathVariables, type PublicOperation } from '@quittance/contracts/operation'
import { publicOperations } from '@quittance/contracts/registry'
import { joinSystem } from '@quittance/testing/join-system'
import type { RunningSystem } from '@quittance/testing/system'
import { beforeAll, describe, expect, test } from 'vitest'
import { attacksOn, jsonOf, prices, type Attack, type Description } from './hostile-values.ts'
import { untilQuiet } from './quiet.ts'
import { accepted } from './sale.ts'

let system: RunningSystem
let session: string
/** Objects by collection, as paths name them; what is not here is asked for under an id of nobody. */
let ids: Record<string, string>
let description: Description

beforeAll(async () => {
  system = await joinSystem()
  const { api, demo } = system
  session = (await accepted(() => api('POST', '/v1/customer-sessions/', { customer_id: demo.customer_id }))).token
  const checkout = await accepted(() => api('POST', '/v1/checkouts/', { products: [demo.product_id] }))
  const discount = await accepted(() => api('POST', '/v1/discounts/', base['orders.discount.create']))
  const benefit = await accepted(() => api('POST', '/v1/benefits/', base['orders.benefit.create']))
  description = (await api('GET', '/openapi.json')).body
  ids = {
    products: demo.product_id,
    customers: demo.customer_id,
    orders: demo.paid_order_id,
    'customer-portal/orders': demo.paid_order_id,
    checkouts: checkout.id,
    'checkouts/client': checkout.client_secret,
    discounts: discount.id,
    benefits: benefit.id,
  }
  await untilQuiet(system)
})

const sales = publicOperations.filter(({ subject }) => subject.startsWith('orders.'))
const writing = sales.filter(({ http }) => http.method === 'POST' || http.method === 'PATCH')
const lists = sales.filter(({ http }) => http.method === 'GET' && pathVariables(http).length === 0 && !http.path.endsWith('/me'))
const named = (operations: readonly PublicOperation[]) => operations.map((operation) => [operation.subject, operation] as const)

/** What a request needs so that nothing is wrong with it but the one value. */
const base: Record<string, object> = {
  'orders.product.create': { name: 'Almanac', recurring_interval: null, prices: [{ amount_type: 'free' }] },
  'orders.benefit.create': { type: 'custom', description: 'A book', properties: {} },
  'orders.benefit.update': { type: 'custom' },
  'orders.discount.create': { name: 'Half', type: 'fixed', amount: 100, duration: 'repeating', duration_in_months: 2 },
  'orders.customer.create': { email: 'hostile@example.com' },
  'orders.checkout.create': { products: [randomUUID()] },
  'orders.refund.create': { order_id: randomUUID(), reason: 'other', amount: 1 },
  'orders.subscription.update': { cancel_at_period_end: true },
}

/** Alternatives: beside one of the others these count for nothing, whatever they say. */
const alternatives: Record<string, object> = {
  'orders.discount.create basis_points': { name: 'Half', type: 'percentage', duration: 'once' },
  'orders.subscription.update product_id': {},
  'orders.subscription.update discount_id': {},
  'orders.subscription.update proration_behavior': { product_id: randomUUID() },
}

function baseFor(subject: string, field: string): object {
  return alternatives[`${subject} ${field}`] ?? base[subject] ?? {}
}

interface Sent {
  query?: string
  body?: string | Uint8Array
}

async function send({ http }: PublicOperation, { query = '', body }: Sent) {
  const collection = http.path.slice('/v1/'.length).split('/{')[0] ?? ''
  const path = http.path.replace(/\{\w+\}/, ids[collection] ?? randomUUID())
  const token = http.callers.includes('customer') ? session : system.demo.organization_access_token
  const response = await fetch(`${system.facts().base_url}${path}${query}`, {
    method: http.method,
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body }),
  })
  return { status: response.status, text: await response.text() }
}

const internal = /select |insert |relation|column|postgres|mikro|zod|node_modules|\.ts\b|stack|nats/i

/** Null where the answer is a refusal in the contract's shape that names the field, or the whole address; otherwise what it was. */
function oddity({ status, text }: { status: number; text: string }, { place, field }: Pick<Attack, 'place' | 'field'>): string | null {
  if (status === 431) return text.startsWith('{"error":"RequestHeaderFieldsTooLarge","detail":"') ? null : text
  const refusal = JSON.parse(text) as { error?: string; detail?: { loc: unknown[]; msg: string; type: string }[] }
  const names = Array.isArray(refusal.detail) && refusal.detail.some(({ loc }) => loc[0] === place && loc[1] === field)
  if (status === 422 && refusal.error === 'RequestValidationError' && names && !internal.test(text)) return null
  return `${status} ${text.slice(0, 200)}`
}

/** Without the counters of lists, which a job folds by itself. */
async function rowCounts(): Promise<unknown> {
  const ofService = `select tablename as name from pg_tables where schemaname = 'public' and tablename not in ('list_totals', 'list_changes')`
  const tables = await system.rows<{ name: string }>('orders', ofService)
  const counts = tables.map(({ name }) => `(select count(*) from ${name}) as ${name}`)
  return (await system.rows('orders', `select ${counts.join(', ')}`))[0]
}

describe('a hostile value in a body is refused by the name of its field, and nothing is written', () => {
  test.each(named(writing))('%s', async (subject, operation) => {
    const before = await rowCounts()
    const attacks = [
      ...attacksOn(operation, description),
      ...(subject.startsWith('orders.product.') && 'prices' in operationFields(operation) ? prices : []),
    ]
    const odd: string[] = []
    for (const attack of attacks) {
      const body = jsonOf({ ...baseFor(subject, attack.field), [attack.field]: attack.value })
      const found = oddity(await send(operation, { body }), attack)
      if (found) odd.push(`${attack.field}, ${attack.what}: ${found}`)
    }
    expect(odd).toEqual([])
    expect(await rowCounts()).toEqual(before)
  })
})

/** Shape of a request, for whether it has a field. */
function operationFields({ request }: PublicOperation): object {
  return (request as unknown as { shape?: object }).shape ?? {}
}

describe('a body that is not text is refused, and nothing is written', () => {
  const notUtf8 = Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xc3, 0x28, 0xff]), Buffer.from('"}')])
  test.each(named(writing))('%s', async (_, operation) => {
    const before = await rowCounts()
    const { status, text } = await send(operation, { body: notUtf8 })
    expect({ status, ...JSON.parse(text) }).toMatchObject({ status: 422, error: 'RequestValidationError', detail: [{ loc: ['body'] }] })
    expect(await rowCounts()).toEqual(before)
  })
})

const repeated = (parameter: string, times: number) => Array.from({ length: times }, () => parameter).join('&')

/** Parameters with values that are not theirs. */
const queries: [parameter: string, values: string[]][] = [
  [
    'page',
    [
      'page=1e9',
      'page=99999999999999999999',
      'page=0',
      'page=-1',
      'page=1.5',
      'page=',
      'page=0x10',
      'page[]=1',
      'page[$gt]=1',
      repeated('page=1', 1000),
    ],
  ],
  ['limit', ['limit=-1', 'limit=0', 'limit=ten', 'limit=1e400', 'limit=99999999999999999999', repeated('limit=1', 1000)]],
  [
    'sorting',
    [
      'sorting=created_at;drop%20table%20orders',
      'sorting=created_at%20desc',
      'sorting=--created_at',
      'sorting=(select%201)',
      'sorting=constructor',
      'sorting=__proto__',
      repeated('sorting=created_at', 1000),
    ],
  ],
  ['query', ['query=%00', `query=${'x'.repeat(300)}`, repeated('query=a', 1000)]],
  ['metadata', ['metadata=x', 'metadata[__proto__]=x', repeated('metadata=x', 1000)]],
  ['organization_id', ["organization_id='%20or%20true", 'organization_id=%00', repeated('organization_id=1', 1000)]],
  ['customer_id', ['customer_id=1', 'customer_id=null']],
  ['is_archived', ['is_archived=yes', 'is_archived=1']],
  ['active', ['active=yes', 'active=']],
  ['after', ['after=1', "after='", 'after=2030-01-01T00:00:00Z', 'after=0000-01-01T00:00:00Z%2011111111-1111-4111-8111-111111111111']],
]

describe('a hostile parameter is refused by its name', () => {
  test.each(named(lists))('%s', async (_, operation) => {
    const fields = operationFields(operation)
    const odd: string[] = []
    for (const [field, values] of queries.filter(([parameter]) => parameter in fields)) {
      for (const value of values) {
        const found = oddity(await send(operation, { query: `?${value}` }), { place: 'query', field })
        if (found) odd.push(`${value.slice(0, 60)}: ${found}`)
      }
    }
    expect(odd).toEqual([])
  })
})

/** Odd, but what they ask for can be looked for: nothing is found, and nothing breaks. */
const harmless = [
  "metadata[a']=x",
  "metadata[a')%20or%20true--]=x",
  'metadata[$ne]=x',
  'metadata[constructor][prototype]=x',
  `metadata[${'k'.repeat(200)}]=x`,
  repeated('metadata[a]=x', 1000),
  'page=999999999999999',
  "query='%20or%20''='",
  'query=%25%25%25',
  'query=%5C',
]

describe('an odd parameter finds nothing', () => {
  test.each(named(lists.filter((operation) => 'page' in operationFields(operation))))('%s', async (_, operation) => {
    const fields = operationFields(operation)
    for (const query of harmless.filter((text) => (/^\w+/.exec(text)?.[0] as string) in fields)) {
      const { status, text } = await send(operation, { query: `?${query}` })
      expect(`${query.slice(0, 60)} ${status} ${text.slice(0, 200)}`).toMatch(/ 200 \{"items":\[\],/)
    }
  })
})

test.each(['?query=%FF', '?query=%ED%A0%80', '?query=%E0%A4%A', '?%FF=1'])('a query that is not text is refused: %s', async (query) => {
  const { status, body } = await system.api('GET', `/v1/products/${query}`)
  expect({ status, body }).toEqual({ status: 400, body: { error: 'BadRequest', detail: expect.any(String) } })
})

test('a request line longer than is read is refused like everything else', async () => {
  const { status, body } = await system.api('GET', `/v1/products/?${repeated(`id=${randomUUID()}`, 1000)}`)
  expect({ status, body }).toEqual({ status: 431, body: { error: 'RequestHeaderFieldsTooLarge', detail: expect.any(String) } })
})

test.each([
  ['orders.discount.create', { max_redemptions: 2 ** 31 }],
  ['orders.discount.create', { duration_in_months: 2 ** 31 }],
  ['orders.discount.create', { amount: Number.MAX_SAFE_INTEGER }],
  ['orders.discount.create', { starts_at: '9999-12-31T23:59:59-23:59' }],
  ['orders.test-clock.advance', { to: '9999-12-31T23:59:59-23:59' }],
  ['orders.refund.create', { order_id: 'paid', amount: Number.MAX_SAFE_INTEGER }],
] as const)('the largest number or latest time of %s is taken or refused, never a fault: %o', async (subject, change) => {
  const operation = writing.find((candidate) => candidate.subject === subject) as PublicOperation
  const body = { ...base[subject], ...change, ...('order_id' in change && { order_id: system.demo.paid_order_id }) }
  const { status, text } = await send(operation, { body: JSON.stringify(body) })
  expect(`${status} ${text}`).toMatch(/^(201|400|422) /)
  expect(text).not.toMatch(internal)
})
