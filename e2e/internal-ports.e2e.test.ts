import { isExternalSystem, useSharedSystem } from '@quittance/testing/use-shared-system'
import { expect, test } from 'vitest'

test.skipIf(isExternalSystem)('rejects webhook endpoints on ports of the system while webhooks to this machine are allowed', async () => {
  const system = await useSharedSystem()
  const { services, nats_url, postgres_url } = system.readReadyFile()
  const metrics = Object.values(services)
    .flat()
    .map(({ health_url }) => new URL('/metrics', health_url).href)
  const engines = [nats_url, postgres_url ?? ''].map((url) => `http://127.0.0.1:${new URL(url).port}/connz?subs=1`)
  expect(metrics.length).toBeGreaterThanOrEqual(5)
  for (const url of [...metrics, ...engines, engines[0]?.replace('127.0.0.1', '127.0.0.9') as string]) {
    const { status, body } = await system.api('POST', '/v1/webhooks/endpoints', { url, format: 'raw', events: ['order.paid'] })
    expect([url, status, JSON.stringify(body)]).toEqual([url, 422, expect.stringContaining('belongs to the system itself') as string])
  }
})
