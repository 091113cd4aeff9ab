import { randomUUID } from 'node:crypto'
import { pathVariables, type PublicOperation } from '@quittance/contracts/operation'
import { publicOperations } from '@quittance/contracts/registry'
import { startSystem, type StartedSystem } from '@quittance/testing/system'
import fc, { type Arbitrary } from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { valuesOf, type Described, type Description, type Schema } from './fuzz-values.ts'
import { accepted, sell } from '../sale.ts'

/** Requests in all; `FUZZ_REQUESTS=20000` for a long run, `FUZZ_SEED` for another one. */
const requests = Number(process.env['FUZZ_REQUESTS'] ?? 2_000)
const seed = Number(process.env['FUZZ_SEED'] ?? 7)
const perOperation = Math.ceil(requests / publicOperations.length)
const workers = 4

let system: StartedSystem
let description: Description
let session: string
/** Objects that are there, for some of the requests to get past the first look. */
let known: string[]

beforeAll(async () => {
  system = await startSystem({ env: { RATE_LIMIT_PER_SECOND: '0', LOG_LEVEL: 'error' } })
  const { api, demo } = system
  description = (await api('GET', '/openapi.json')).body
  const customer = await accepted(() => api('POST', '/v1/customers/', { email: `fuzz-${randomUUID()}@example.com` }))
  session = (await accepted(() => api('POST', '/v1/customer-sessions/', { customer_id: demo.customer_id }))).token
  const checkout = await accepted(() => api('POST', '/v1/checkouts/', { products: [demo.product_id] }))
  known = [demo.product_id, demo.paid_order_id, demo.pending_order_id, customer.id, checkout.id, checkout.client_secret, await sell(system)]
})
afterAll(() => system[Symbol.asyncDispose]())

interface Sent {
  path: string
  body?: string
  headers: Record<string, string>
}

/** Requests of an operation by what the server says of itself. */
function requestsOf({ http }: PublicOperation, { parameters = [], requestBody }: Described): Arbitrary<Sent> {
  const { schemas } = description.components
  const identifier = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...known) },
    { weight: 2, arbitrary: fc.uuid({ version: 4 }) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }) },
  )
  const inPath = fc.record(Object.fromEntries(pathVariables(http).map((name) => [name, identifier])))
  const inQuery = parameters.filter((parameter) => parameter.in === 'query')
  const query = fc.record(Object.fromEntries(inQuery.map(({ name, schema }) => [name, valuesOf(schema, schemas)])), { requiredKeys: [] })
  const schema = requestBody?.content['application/json']?.schema as Schema | undefined
  const body: Arbitrary<string | undefined> = schema
    ? fc.oneof(
        { weight: 9, arbitrary: valuesOf(schema, schemas).map((value) => JSON.stringify(value)) },
        { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 100 }) },
      )
    : fc.constant(undefined)
  const key = fc.option(fc.oneof(fc.uuid(), fc.constantFrom('the same', 'a', 'x'.repeat(300))), { nil: undefined, freq: 3 })
  return fc.record({ inPath, query, body, key }).map((parts) => ({
    path: `${pathOf(http.path, parts.inPath)}${queryOf(parts.query)}`,
    ...(parts.body !== undefined && http.method !== 'GET' && { body: parts.body }),
    headers: parts.key ? { 'idempotency-key': parts.key } : {},
  }))
}

function pathOf(path: string, variables: Record<string, string>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => escaped(variables[name] ?? ''))
}

function queryOf(query: Record<string, unknown>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((each) => `${escaped(name)}=${escaped(typeof each === 'string' ? each : (JSON.stringify(each) ?? ''))}`),
  )
  return pairs.length > 0 ? `?${pairs.join('&')}` : ''
}

/** Half a character cannot be written as UTF-8. */
const escaped = (text: string) => encodeURIComponent(text.toWellFormed())

function tokenFor({ callers }: PublicOperation['http']): string {
  if (callers.includes('customer')) return session
  return callers.includes('organization') ? system.demo.organization_access_token : system.demo.personal_access_token
}

/** Throws for a fault, a hang, and a refusal in another shape than the contract's. */
async function demandAnswer({ http }: PublicOperation, { path, body, headers }: Sent): Promise<void> {
  const response = await fetch(`${system.facts().base_url}${path}`, {
    method: http.method,
    headers: { authorization: `Bearer ${tokenFor(http)}`, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body }),
    redirect: 'manual',
    signal: AbortSignal.timeout(15_000),
  })
  const text = await response.text()
  if (response.status < 400) return
  const odd = new Error(
    `${http.method} ${path.slice(0, 300)} ${body?.slice(0, 1_000) ?? ''} was answered ${response.status} ${text.slice(0, 300)}`,
  )
  if (response.status >= 500) throw odd
  const { error, detail } = JSON.parse(text)
  if (typeof error !== 'string' || !(typeof detail === 'string' || Array.isArray(detail))) throw odd
}

test(
  'whatever is sent to an operation is answered in time, never by a fault, and a refusal has the contract’s shape',
  async () => {
    const queue = [...publicOperations]
    const odd: string[] = []
    async function work(): Promise<void> {
      for (let operation = queue.shift(); operation; operation = queue.shift()) {
        const one = operation
        const described = description.paths[one.http.path]?.[one.http.method.toLowerCase()] as Described
        const property = fc.asyncProperty(requestsOf(one, described), (sent) => demandAnswer(one, sent))
        const { failed, errorInstance } = await fc.check(property, { seed, numRuns: perOperation, maxSkipsPerRun: 0 })
        if (failed) odd.push(`${one.subject}: ${String(errorInstance)}`)
      }
    }
    await Promise.all(Array.from({ length: workers }, work))
    expect(odd).toEqual([])
  },
  60_000 + requests * 100,
)
