import { randomUUID } from 'node:crypto'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { scale } from '@quittance/testing/scale'
import { useSharedSystem } from '@quittance/testing/use-shared-system'
import type { RunningSystem } from '@quittance/testing/system'
import { beforeAll, describe, expect, test } from 'vitest'
import { packagesFolder } from './clients.ts'

/** A model of the `ai` package, as a strategy wraps it. */
interface Model {
  doGenerate(options: object): Promise<unknown>
}

interface Strategy {
  ingest(eventName: string): Strategy
  cost?(resolve: (context: { inputTokens: number }) => object): Strategy
  client(customer: object): Model
}

interface Adapter {
  Ingestion(settings: object): { strategy(strategy: Strategy): Strategy; ingest(events: object[]): Promise<unknown> }
  LLMStrategy: new (model: object) => Strategy
}

let system: RunningSystem
let folder: string

async function loadAdapter(name: string): Promise<Adapter> {
  const { resolve } = createRequire(join(folder, 'package.json'))
  const [main, strategy] = await Promise.all(
    [name, `${name}/strategies/LLM`].map((entry) => import(pathToFileURL(resolve(entry).replace(/[.]cjs$/, '.js')).href)),
  )
  return { Ingestion: main.Ingestion, LLMStrategy: strategy.LLMStrategy }
}

const usage = { inputTokens: 12, outputTokens: 30, totalTokens: 42 }
const model = {
  specificationVersion: 'v2',
  provider: 'a-provider',
  modelId: 'large',
  supportedUrls: {},
  doGenerate: async () => ({ content: [], finishReason: 'stop', usage, warnings: [] }),
}

/** Returns the events of a customer of the seller. */
async function listEvents(externalCustomerId: string): Promise<{ name: string; metadata: Record<string, unknown> }[]> {
  const { status, body } = await system.api('GET', `/v1/events/?external_customer_id=${externalCustomerId}`)
  expect(status).toBe(200)
  return body.items
}

// Installing the adapters takes longer than their calls, so `npm test` does not run this file.
describe.runIf(scale(false, true))('an application with the unmodified adapter', () => {
  beforeAll(async () => {
    folder = await packagesFolder('adapters')
    system = await useSharedSystem()
  }, 600_000)

  const settings = () => ({ accessToken: system.demo.organization_access_token, serverURL: system.readReadyFile().base_url })

  test.each(['ingestion-0.3.1', '@polar-sh/ingestion'])('%s sends events of both kinds of customers', async (name) => {
    const { Ingestion } = await loadAdapter(name)
    const externalCustomerId = randomUUID()
    const metadata = { path: '/search', seconds: 0.123_456_789_012_345_6, cached: false, size: 3 }
    const events = [
      { name: 'page.viewed', externalCustomerId, metadata },
      { name: 'page.viewed', customerId: system.demo.customer_id, metadata },
    ]
    expect(await Ingestion(settings()).ingest(events)).toMatchObject({ inserted: 2 })
    expect(await listEvents(externalCustomerId)).toMatchObject([{ name: 'page.viewed', metadata }])
  })

  const models = [
    [
      'ingestion-0.3.1',
      { promptTokens: 12, completionTokens: 30, totalTokens: 42, provider: 'a-provider', model: 'large', strategy: 'LLM' },
    ],
    ['@polar-sh/ingestion', { inputTokens: 12, outputTokens: 30, '_llm.total_tokens': 42, '_llm.vendor': 'a-provider' }],
  ] as const
  test.each(models)('%s reports the tokens of a model, which are listed and add up [usage 6] [usage 19]', async (name, metadata) => {
    const { Ingestion, LLMStrategy } = await loadAdapter(name)
    const externalCustomerId = randomUUID()
    const wrapped = Ingestion(settings()).strategy(new LLMStrategy(model)).ingest('answer.given').client({ externalCustomerId })
    for (let call = 0; call < 3; call++) await wrapped.doGenerate({ prompt: [] })
    const events = await listEvents(externalCustomerId)
    expect(events).toMatchObject([1, 2, 3].map(() => ({ name: 'answer.given', metadata })))
    expect(events.reduce((sum, event) => sum + Number(event.metadata['totalTokens']), 0)).toBe(126)
  })
})
