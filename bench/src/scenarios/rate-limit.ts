/** Measures how much of an endpoint's rate limit is used while deliveries wait. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Scenario, Stage } from '../scenario.ts'
import { median } from '../statistics.ts'
import { createEndpoint, makeDue } from '../system/deliveries.ts'
import { startSink, type Sink } from '../system/sink.ts'

const limits = [10, 40, 200]
const wanted = 0.95
const timeoutMs = 120_000

export const rateLimit: Scenario = {
  summary: 'share of the rate limit of an endpoint that its waiting deliveries use',
  async run(stage) {
    const sink = await startSink()
    try {
      const figures = []
      for (const limit of limits) {
        const endpointId = await createEndpoint(stage.quittance, {
          url: `${sink.origin}/limited`,
          events: ['order.paid'],
          rate_limit: limit,
        })
        const shares: number[] = []
        for (let round = 1; round <= stage.options.rounds; round += 1) shares.push(await usedShare(stage, { sink, endpointId, limit }))
        figures.push({ limit, shares })
        stage.log(`${limit} per second: ${shares.map((share) => share.toFixed(3)).join(', ')}`)
      }
      return { scenario: 'rate-limit', text: describe(figures), figures }
    } finally {
      sink.process.disconnect()
    }
  },
}

/** Returns the rate from the first arrival to the last one, as a share of the limit. */
async function usedShare(stage: Stage, { sink, endpointId, limit }: { sink: Sink; endpointId: string; limit: number }): Promise<number> {
  const count = limit * stage.options.seconds
  const before = await sink.count()
  await makeDue(stage.engines.postgres.url('webhooks'), {
    endpoints: [endpointId],
    perEndpoint: count,
    organizationId: stage.quittance.organizationId,
  })
  const first = await arrival(sink, before + 1)
  const last = await arrival(sink, before + count)
  return (last.count - first.count) / ((last.at - first.at) / 1000) / limit
}

/** Waits until as many POSTs have arrived; returns their number and the time in milliseconds. */
async function arrival(sink: Sink, goal: number): Promise<{ count: number; at: number }> {
  for (const start = performance.now(); ; await delay(2)) {
    const count = await sink.count()
    const at = performance.now()
    if (count >= goal) return { count, at }
    if (at - start > timeoutMs) throw new Error(`${goal - count} deliveries are missing.`)
  }
}

function describe(figures: readonly { limit: number; shares: readonly number[] }[]): string {
  const lines = figures.map(({ limit, shares }) => {
    const middle = median(shares)
    const range = `${Math.min(...shares).toFixed(3)} … ${Math.max(...shares).toFixed(3)}`
    return `${limit} per second: ${middle.toFixed(3)} of the limit is used (rounds: ${range}). At least ${wanted} is required: ${middle >= wanted ? 'met' : 'NOT MET'}.`
  })
  return ['rate-limit: an endpoint with a rate limit while deliveries wait; arrivals from the first to the last one', '', ...lines].join(
    '\n',
  )
}
