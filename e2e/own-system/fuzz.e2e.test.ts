import { randomUUID } from 'node:crypto'
import { endCustomerSession } from '@quittance/contracts/customer-sessions'
import { pathVariables, type PublicOperation } from '@quittance/contracts/operation'
import { publicOperations } from '@quittance/contracts/registry'
import { inlineComponents } from '@quittance/testing/inline-components'
import { startSystem, type StartedSystem } from '@quittance/testing/system'
import fc, { type Arbitrary } from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { generateValues, type DescribedOperation, type Description, type Schema } from './fuzz-values.ts'
import { expectAccepted, sell } from '../sale.ts'

/** Total number of requests; `FUZZ_REQUESTS=20000` for a long run, `FUZZ_SEED` for a different one. */
const requests = Number(process.env['FUZZ_REQUESTS'] ?? 2_000)
const seed = Number(process.env['FUZZ_SEED'] ?? 7)
const perOperation = Math.ceil(requests / publicOperations.length)
const workers = 4

let system: StartedSystem
let description: Description
let session: string
/** Ids of existing objects, so that some requests pass the first lookup. */
let knownIds: string[]

beforeAll(async () => {
  system = await startSystem({ env: { RATE_LIMIT_PER_SECOND: '0', LOG_LEVEL: 'error' } })
  const { api, demo } = system
  description = inlineComponents((await api('GET', '/openapi.json')).body) as unknown as Description
  const customer = await expectAccepted(() => api('POST', '/v1/customers/', { email: `fuzz-${randomUUID()}@example.com` }))
  session = (await expectAccepted(() => api('POST', '/v1/customer-sessions/', { customer_id: demo.customer_id }))).token
  const checkout = await expectAccepted(() => api('POST', '/v1/checkouts/', { products: [demo.product_id] }))
  knownIds = [
    demo.product_id,
    demo.paid_order_id,
    demo.pending_order_id,
    customer.id,
    checkout.id,
    checkout.client_secret,
    await sell(system),
  ]
})
afterAll(() => system[Symbol.asyncDispose]())

interface GeneratedRequest {
  path: string
  body?: string
  headers: Record<string, string>
}

/** Generates requests of an operation from the server's description. */
function generateRequests({ http }: PublicOperation, { parameters = [], requestBody }: DescribedOperation): Arbitrary<GeneratedRequest> {
  const { schemas } = description.components
  const identifier = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...knownIds) },
    { weight: 2, arbitrary: fc.uuid({ version: 4 }) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }) },
  )
  const inPath = fc.record(Object.fromEntries(pathVariables(http).map((name) => [name, identifier])))
  const inQuery = parameters.filter((parameter) => parameter.in === 'query')
  const query = fc.record(Object.fromEntries(inQuery.map(({ name, schema }) => [name, generateValues(schema, schemas)])), {
    requiredKeys: [],
  })
  const schema = requestBody?.content['application/json']?.schema as Schema | undefined
  const body: Arbitrary<string | undefined> = schema
    ? fc.oneof(
        { weight: 9, arbitrary: generateValues(schema, schemas).map((value) => JSON.stringify(value)) },
        { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 100 }) },
      )
    : fc.constant(undefined)
  const key = fc.option(fc.oneof(fc.uuid(), fc.constantFrom('the same', 'a', 'x'.repeat(300))), { nil: undefined, freq: 3 })
  return fc.record({ inPath, query, body, key }).map((parts) => ({
    path: `${buildPath(http.path, parts.inPath)}${buildQuery(parts.query)}`,
    ...(parts.body !== undefined && http.method !== 'GET' && { body: parts.body }),
    headers: parts.key ? { 'idempotency-key': parts.key } : {},
  }))
}

function buildPath(path: string, variables: Record<string, string>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => escapeText(variables[name] ?? ''))
}

function buildQuery(query: Record<string, unknown>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((each) => `${escapeText(name)}=${escapeText(typeof each === 'string' ? each : (JSON.stringify(each) ?? ''))}`),
  )
  return pairs.length > 0 ? `?${pairs.join('&')}` : ''
}

/** A lone surrogate cannot be encoded as UTF-8. */
const escapeText = (text: string) => encodeURIComponent(text.toWellFormed())

function tokenFor({ callers }: PublicOperation['http']): string {
  if (callers.includes('customer')) return session
  return callers.includes('organization') ? system.demo.organization_access_token : system.demo.personal_access_token
}

/** Throws for an internal error, a timeout, and an error response that does not have the shape of the contract. */
async function assertContractResponse({ http }: PublicOperation, { path, body, headers }: GeneratedRequest): Promise<void> {
  const response = await fetch(`${system.readReadyFile().base_url}${path}`, {
    method: http.method,
    headers: { authorization: `Bearer ${tokenFor(http)}`, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body }),
    redirect: 'manual',
    signal: AbortSignal.timeout(15_000),
  })
  const text = await response.text()
  if (response.status < 400) return
  const unexpected = new Error(
    `${http.method} ${path.slice(0, 300)} ${body?.slice(0, 1_000) ?? ''} returned ${response.status} ${text.slice(0, 300)}`,
  )
  if (response.status >= 500) throw unexpected
  const { error, detail } = JSON.parse(text)
  if (typeof error !== 'string' || !(typeof detail === 'string' || Array.isArray(detail))) throw unexpected
}

test(
  'any request gets a timely response, no internal error, and errors in the contract’s shape',
  async () => {
    // Ending the session comes last: the others need it.
    const queue = publicOperations.toSorted((a, b) => Number(a === endCustomerSession) - Number(b === endCustomerSession))
    const unexpected: string[] = []
    async function runWorker(): Promise<void> {
      for (let operation = queue.shift(); operation; operation = queue.shift()) {
        const current = operation
        const describedOperation = description.paths[current.http.path]?.[current.http.method.toLowerCase()] as DescribedOperation
        const property = fc.asyncProperty(generateRequests(current, describedOperation), (generatedRequest) =>
          assertContractResponse(current, generatedRequest),
        )
        const { failed, errorInstance } = await fc.check(property, { seed, numRuns: perOperation, maxSkipsPerRun: 0 })
        if (failed) unexpected.push(`${current.subject}: ${String(errorInstance)}`)
      }
    }
    await Promise.all(Array.from({ length: workers }, runWorker))
    expect(unexpected).toEqual([])
  },
  60_000 + requests * 100,
)
