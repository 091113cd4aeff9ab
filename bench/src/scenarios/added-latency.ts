/** Measures the time that the gateway and its hop add to a read, compared with a request to the service by its subject. */
import { getOrder } from '@quittance/contracts/orders'
import { assertNoErrors, startDirectLoader, startLoader, type LoadResult } from '../load.ts'
import type { Scenario, Stage } from '../scenario.ts'
import { median } from '../statistics.ts'
import { makeOrders } from '../system/orders.ts'
import { table } from '../table.ts'
import { interleaved } from './interleaved.ts'

const perSecond = 500
/** Maximum added time at the median, in milliseconds. */
const limitMs = 1.5

export const addedLatency: Scenario = {
  summary: `time that the gateway adds to GET /v1/orders/{id} at ${perSecond} requests/s, compared with the service’s subject`,
  async run(stage) {
    const { options, log } = stage
    const ids = await makeOrders(stage.quittance)
    using loader = startLoader()
    using direct = startDirectLoader()
    const windows = await interleaved(createContenders(stage, { ids, loader, direct }), {
      options,
      log,
      warmUp: async (contender, seconds) => assertNoErrors(contender, await contender.load(seconds)),
      async measure(contender) {
        const result = await contender.load(options.seconds)
        assertNoErrors(contender, result)
        return result
      },
    })
    return describe(stage, windows)
  },
}

interface Loaders {
  ids: readonly string[]
  loader: ReturnType<typeof startLoader>
  direct: ReturnType<typeof startDirectLoader>
}

function createContenders({ quittance, engines }: Stage, { ids, loader, direct }: Loaders) {
  const { origin, token, organizationId } = quittance
  const paths = ids.map((id) => `/v1/orders/${id}`)
  const bodies = ids.map((id) => JSON.stringify({ id }))
  const caller = JSON.stringify({
    kind: 'organization',
    organization_id: organizationId,
    token_id: 'bench',
    client_id: null,
    user_id: null,
  })
  const directLoad = { origin, natsUrl: engines.nats.url('gateway'), caller, subject: getOrder.subject, bodies, connections: 0, perSecond }
  return [
    { name: 'gateway', load: (seconds: number) => loader.run({ origin, token, paths, seconds, connections: 0, perSecond }) },
    { name: 'subject', load: (seconds: number) => direct.run({ ...directLoad, seconds }) },
  ]
}

function describe({ options }: Stage, windows: ReadonlyMap<string, readonly LoadResult[]>) {
  const of = (name: string, pick: (window: LoadResult) => number) => median((windows.get(name) ?? []).map(pick))
  const rows = [...windows.keys()].map((name) => [
    name,
    of(name, ({ p50Ms }) => p50Ms).toFixed(2),
    of(name, ({ p99Ms }) => p99Ms).toFixed(2),
  ])
  const [through = [], beside = []] = ['gateway', 'subject'].map((name) => windows.get(name))
  const added = median(through.map(({ p50Ms }, round) => p50Ms - (beside[round]?.p50Ms ?? Number.NaN)))
  const title = `added-latency: GET /v1/orders/{id}, open loop of ${perSecond} requests/s; medians of ${options.rounds} interleaved windows of ${options.seconds} s`
  const assessment = `Added at the median: ${added.toFixed(2)} ms. Less than ${limitMs.toFixed(2)} is required: ${added < limitMs ? 'met' : 'NOT MET'}.`
  const text = [title, '', ...table(['target', 'p50 ms', 'p99 ms'], rows), '', assessment].join('\n')
  return { scenario: 'added-latency', text, figures: { added, windows: Object.fromEntries(windows) } }
}
