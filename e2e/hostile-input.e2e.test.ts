import { randomUUID } from 'node:crypto'
import { pathVariables, type PublicOperation } from '@quittance/contracts/operation'
import { publicOperations } from '@quittance/contracts/registry'
import { personalScopeDescriptions } from '@quittance/contracts/scopes'
import { inlineComponents } from '@quittance/testing/inline-components'
import { useSharedSystem } from '@quittance/testing/use-shared-system'
import type { RunningSystem } from '@quittance/testing/system'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildInvalidValues, toJsonWithRawValues, invalidPrices, type InvalidValue, type Description } from './invalid-values.ts'
import { waitUntilIdle } from './wait-until-idle.ts'
import { expectAccepted } from './sale.ts'

let system: RunningSystem
let session: string
/** Object ids by collection, as named in paths; a collection that is not listed gets a random id. */
let ids: Record<string, string>
let description: Description

beforeAll(async () => {
  system = await useSharedSystem()
  const { api, demo } = system
  session = (await expectAccepted(() => api('POST', '/v1/customer-sessions/', { customer_id: demo.customer_id }))).token
  const checkout = await expectAccepted(() => api('POST', '/v1/checkouts/', { products: [demo.product_id] }))
  const link = await expectAccepted(() => api('POST', '/v1/checkout-links/', { products: [demo.product_id] }))
  const discount = await expectAccepted(() => api('POST', '/v1/discounts/', validBodies['orders.discount.create']))
  const benefit = await expectAccepted(() => api('POST', '/v1/benefits/', validBodies['orders.benefit.create']))
  description = inlineComponents((await api('GET', '/openapi.json')).body) as unknown as Description
  ids = {
    products: demo.product_id,
    customers: demo.customer_id,
    orders: demo.paid_order_id,
    'customer-portal/orders': demo.paid_order_id,
    checkouts: checkout.id,
    'checkouts/client': checkout.client_secret,
    'checkout-links': link.id,
    'checkout-links/client': link.client_secret,
    discounts: discount.id,
    benefits: benefit.id,
  }
  await waitUntilIdle(system)
})

/** Without those that the token of an organization may not call, and without raw bodies, which are verified as bytes. */
const ordersOperations = publicOperations.filter(
  ({ subject, http }) => subject.startsWith('orders.') && !http.raw && !http.scopes.some((scope) => scope in personalScopeDescriptions),
)
const writeOperations = ordersOperations.filter(({ http }) => http.method === 'POST' || http.method === 'PATCH')
const listOperations = ordersOperations.filter(
  ({ http }) => http.method === 'GET' && pathVariables(http).length === 0 && !http.path.endsWith('/me'),
)
const toTestCases = (operations: readonly PublicOperation[]) => operations.map((operation) => [operation.subject, operation] as const)

/** Valid bodies, so that the value under test is the only invalid one. */
const validBodies: Record<string, object> = {
  'orders.product.create': { name: 'Almanac', recurring_interval: null, prices: [{ amount_type: 'free' }] },
  'orders.benefit.create': { type: 'custom', description: 'A book', properties: {} },
  'orders.benefit.update': { type: 'custom' },
  'orders.discount.create': { name: 'Half', type: 'fixed', amount: 100, duration: 'repeating', duration_in_months: 2 },
  'orders.customer.create': { email: 'hostile@example.com' },
  'orders.checkout.create': { products: [randomUUID()] },
  'orders.checkout-link.create': { products: [randomUUID()] },
  'orders.refund.create': { order_id: randomUUID(), reason: 'other', amount: 1 },
  'orders.subscription.update': { cancel_at_period_end: true },
  'orders.subscription.change-preview': { product_id: randomUUID() },
  'orders.customer-order.confirm-payment': { confirmation_token_id: 'ctoken_ok' },
  'orders.customer-subscription.change-preview': { product_id: randomUUID() },
}

/** Bodies for fields that are ignored beside one of the other fields, whatever their value. */
const alternativeBodies: Record<string, object> = {
  'orders.discount.create basis_points': { name: 'Half', type: 'percentage', duration: 'once' },
  'orders.subscription.update product_id': {},
  'orders.subscription.update discount_id': {},
  'orders.subscription.update proration_behavior': { product_id: randomUUID() },
  'orders.subscription.update previewed_at': { product_id: randomUUID() },
  'orders.subscription.update pending_update': {},
  'orders.customer-subscription.update proration_behavior': { product_id: randomUUID() },
  'orders.customer-subscription.update previewed_at': { product_id: randomUUID() },
}

function getBaseBody(subject: string, field: string): object {
  return alternativeBodies[`${subject} ${field}`] ?? validBodies[subject] ?? {}
}

interface RequestParts {
  query?: string
  body?: string | Uint8Array
}

async function send({ http }: PublicOperation, { query = '', body }: RequestParts) {
  const collection = http.path.slice('/v1/'.length).split('/{')[0] ?? ''
  const path = http.path.replace(/\{\w+\}/, ids[collection] ?? randomUUID())
  const token = http.callers.includes('customer') ? session : system.demo.organization_access_token
  const response = await fetch(`${system.readReadyFile().base_url}${path}${query}`, {
    method: http.method,
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body }),
  })
  return { status: response.status, text: await response.text() }
}

const internalDetails = /select |insert |relation|column|postgres|mikro|zod|node_modules|\.ts\b|stack|nats/i

/** Returns null if the response is a contract error that names the field, or 431 for a long URL; otherwise describes the response. */
function describeUnexpected(
  { status, text }: { status: number; text: string },
  { place, field }: Pick<InvalidValue, 'place' | 'field'>,
): string | null {
  if (status === 431) return text.startsWith('{"error":"RequestHeaderFieldsTooLarge","detail":"') ? null : text
  const errorBody = JSON.parse(text) as { error?: string; detail?: { loc: unknown[]; msg: string; type: string }[] }
  const isFieldNamed = Array.isArray(errorBody.detail) && errorBody.detail.some(({ loc }) => loc[0] === place && loc[1] === field)
  if (status === 422 && errorBody.error === 'RequestValidationError' && isFieldNamed && !internalDetails.test(text)) return null
  return `${status} ${text.slice(0, 200)}`
}

/** Counts rows, without the list counters, which a job compacts in the background. */
async function countRows(): Promise<unknown> {
  const tablesSql = `select tablename as name from pg_tables where schemaname = 'public' and tablename not in ('list_totals', 'list_changes', 'consumer_positions')`
  const tables = await system.rows<{ name: string }>('orders', tablesSql)
  const counts = tables.map(({ name }) => `(select count(*) from ${name}) as ${name}`)
  return (await system.rows('orders', `select ${counts.join(', ')}`))[0]
}

describe('a hostile value in a body is rejected by the name of its field, and nothing is written', () => {
  test.each(toTestCases(writeOperations))('%s', async (subject, operation) => {
    const before = await countRows()
    const invalidValues = [
      ...buildInvalidValues(operation, description),
      ...(subject.startsWith('orders.product.') && 'prices' in getRequestFields(operation) ? invalidPrices : []),
    ]
    const unexpected: string[] = []
    for (const invalidValue of invalidValues) {
      const body = toJsonWithRawValues({ ...getBaseBody(subject, invalidValue.field), [invalidValue.field]: invalidValue.value })
      const problem = describeUnexpected(await send(operation, { body }), invalidValue)
      if (problem) unexpected.push(`${invalidValue.field}, ${invalidValue.label}: ${problem}`)
    }
    expect(unexpected).toEqual([])
    expect(await countRows()).toEqual(before)
  })
})

/** Returns the shape of a request, to check whether it has a field. */
function getRequestFields({ request }: PublicOperation): object {
  return (request as unknown as { shape?: object }).shape ?? {}
}

describe('a body that is not UTF-8 is rejected, and nothing is written', () => {
  const notUtf8 = Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xc3, 0x28, 0xff]), Buffer.from('"}')])
  test.each(toTestCases(writeOperations))('%s', async (_, operation) => {
    const before = await countRows()
    const { status, text } = await send(operation, { body: notUtf8 })
    expect({ status, ...JSON.parse(text) }).toMatchObject({ status: 422, error: 'RequestValidationError', detail: [{ loc: ['body'] }] })
    expect(await countRows()).toEqual(before)
  })
})

const repeatParameter = (parameter: string, times: number) => Array.from({ length: times }, () => parameter).join('&')

/** Parameters with invalid values. */
const invalidParameters: [parameter: string, values: string[]][] = [
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
      repeatParameter('page=1', 1000),
    ],
  ],
  ['limit', ['limit=-1', 'limit=0', 'limit=ten', 'limit=1e400', 'limit=99999999999999999999', repeatParameter('limit=1', 1000)]],
  [
    'sorting',
    [
      'sorting=created_at;drop%20table%20orders',
      'sorting=created_at%20desc',
      'sorting=--created_at',
      'sorting=(select%201)',
      'sorting=constructor',
      'sorting=__proto__',
      repeatParameter('sorting=created_at', 1000),
    ],
  ],
  ['query', ['query=%00', `query=${'x'.repeat(300)}`, repeatParameter('query=a', 1000)]],
  ['metadata', ['metadata=x', 'metadata[__proto__]=x', repeatParameter('metadata=x', 1000)]],
  ['organization_id', ["organization_id='%20or%20true", 'organization_id=%00', repeatParameter('organization_id=1', 1000)]],
  ['customer_id', ['customer_id=1', 'customer_id=null']],
  ['is_archived', ['is_archived=yes', 'is_archived=1']],
  ['active', ['active=yes', 'active=']],
  ['after', ['after=1', "after='", 'after=2030-01-01T00:00:00Z', 'after=0000-01-01T00:00:00Z%2011111111-1111-4111-8111-111111111111']],
]

describe('a hostile parameter is rejected by its name', () => {
  test.each(toTestCases(listOperations))('%s', async (_, operation) => {
    const fields = getRequestFields(operation)
    const unexpected: string[] = []
    for (const [field, values] of invalidParameters.filter(([parameter]) => parameter in fields)) {
      for (const value of values) {
        const problem = describeUnexpected(await send(operation, { query: `?${value}` }), { place: 'query', field })
        if (problem) unexpected.push(`${value.slice(0, 60)}: ${problem}`)
      }
    }
    expect(unexpected).toEqual([])
  })
})

/** Unusual but valid queries: they match nothing and cause no error. */
const harmlessQueries = [
  "metadata[a']=x",
  "metadata[a')%20or%20true--]=x",
  'metadata[$ne]=x',
  'metadata[constructor][prototype]=x',
  `metadata[${'k'.repeat(200)}]=x`,
  repeatParameter('metadata[a]=x', 1000),
  'page=999999999999999',
  "query='%20or%20''='",
  'query=%25%25%25',
  'query=%5C',
]

describe('an unusual parameter matches nothing', () => {
  test.each(toTestCases(listOperations.filter((operation) => 'page' in getRequestFields(operation))))('%s', async (_, operation) => {
    const fields = getRequestFields(operation)
    for (const query of harmlessQueries.filter((text) => (/^\w+/.exec(text)?.[0] as string) in fields)) {
      const { status, text } = await send(operation, { query: `?${query}` })
      expect(`${query.slice(0, 60)} ${status} ${text.slice(0, 200)}`).toMatch(/ 200 \{"items":\[\],/)
    }
  })
})

test.each(['?query=%FF', '?query=%ED%A0%80', '?query=%E0%A4%A', '?%FF=1'])('rejects a query that is not UTF-8: %s', async (query) => {
  const { status, body } = await system.api('GET', `/v1/products/${query}`)
  expect({ status, body }).toEqual({ status: 400, body: { error: 'BadRequest', detail: expect.any(String) } })
})

test('rejects an overlong request line with an error of the contract', async () => {
  const { status, body } = await system.api('GET', `/v1/products/?${repeatParameter(`id=${randomUUID()}`, 1000)}`)
  expect({ status, body }).toEqual({ status: 431, body: { error: 'RequestHeaderFieldsTooLarge', detail: expect.any(String) } })
})

test.each([
  ['orders.discount.create', { max_redemptions: 2 ** 31 }],
  ['orders.discount.create', { duration_in_months: 2 ** 31 }],
  ['orders.discount.create', { amount: Number.MAX_SAFE_INTEGER }],
  ['orders.discount.create', { starts_at: '9999-12-31T23:59:59-23:59' }],
  ['orders.test-clock.advance', { to: '9999-12-31T23:59:59-23:59' }],
  ['orders.refund.create', { order_id: 'paid', amount: Number.MAX_SAFE_INTEGER }],
] as const)('accepts or rejects the largest number or latest time of %s without an internal error: %o', async (subject, change) => {
  const operation = writeOperations.find((candidate) => candidate.subject === subject) as PublicOperation
  const body = { ...validBodies[subject], ...change, ...('order_id' in change && { order_id: system.demo.paid_order_id }) }
  const { status, text } = await send(operation, { body: JSON.stringify(body) })
  expect(`${status} ${text}`).toMatch(/^(201|400|422) /)
  expect(text).not.toMatch(internalDetails)
})
