/** Measures the cost of a delivery compared with a bare signed POST, the isolation of dead endpoints, and the cost of a backlog. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { postgresCpuMs, processCpuMs, readProcesses, treeCpuMs, type ProcessTable } from '../cpu.ts'
import type { Scenario, Stage } from '../scenario.ts'
import { median, quantile, ratio } from '../statistics.ts'
import { commitEvents, inDatabase, makeDue, makeEndpoints, types, type Endpoints } from '../system/deliveries.ts'
import { claimTimes, type ClaimTime } from '../system/claim-times.ts'
import { startSink, type Sink } from '../system/sink.ts'
import { table } from '../table.ts'

const deliveriesPerWindow = 20_000
const hanging = 1_000
const peers = join(import.meta.dirname, '../peers/deliveries')

interface Window {
  rate: number
  /** Microseconds of CPU per delivery. */
  nodeUs: number
  postgresUs: number
  natsUs: number
}

interface Round {
  limit: { rate: number; cpuUs: number }
  dispatch: Window
  whole: Window
}

export const deliveries: Scenario = {
  summary: 'webhook deliveries per second compared with a bare loop of signed POSTs; 1,000 hanging endpoints; claims from a backlog',
  async run(stage) {
    const { quittance, engines, options, log } = stage
    const sink = await startSink()
    try {
      const endpoints = await makeEndpoints({ quittance, engines, url: `${sink.origin}/timed` })
      log('warming up')
      await dispatchWindow(stage, { sink, endpoints, count: 4_000 })
      await wholeWindow(stage, { sink, endpoints, count: 4_000 })
      const rounds: Round[] = []
      for (let round = 1; round <= options.rounds; round += 1) {
        const limit = await postLoop(sink.origin, options.seconds)
        const dispatch = await dispatchWindow(stage, { sink, endpoints, count: deliveriesPerWindow })
        const whole = await wholeWindow(stage, { sink, endpoints, count: deliveriesPerWindow })
        rounds.push({ limit, dispatch, whole })
        log(`round ${round}: ${[limit, dispatch, whole].map(({ rate }) => rate.toFixed(0)).join(', ')} per second`)
      }
      log(`${hanging} hanging endpoints beside a healthy one`)
      const isolation = await isolate(stage, { sink, endpoints })
      log('claims from a backlog')
      const claims = await claimTimes(engines.postgres.url('webhooks'), endpoints)
      return { scenario: 'deliveries', text: describe({ rounds, isolation, claims }), figures: { rounds, isolation, claims } }
    } finally {
      sink.process.disconnect()
    }
  },
}

async function postLoop(origin: string, seconds: number): Promise<Round['limit']> {
  const child = fork(join(peers, 'post-loop.ts'), [`${origin}/post`, String(seconds), '50', '2000'])
  return (await once(child, 'message'))[0] as Round['limit']
}

interface Load {
  sink: Sink
  endpoints: Endpoints
  count: number
}

/** Measures deliveries that are already in the table. */
function dispatchWindow(stage: Stage, { sink, endpoints, count }: Load): Promise<Window> {
  const url = stage.engines.postgres.url('webhooks')
  const { ids, organizationId } = endpoints
  const perEndpoint = Math.round(count / ids.length)
  const start = () => makeDue(url, { endpoints: ids, perEndpoint, organizationId })
  return measured(stage, { sink, count: perEndpoint * ids.length, start })
}

/** Measures events from the outbox of orders. */
function wholeWindow(stage: Stage, { sink, endpoints: { organizationId }, count }: Load): Promise<Window> {
  const start = () => inDatabase(stage.quittance.ordersDatabaseUrl, (client) => commitEvents(client, { count, organizationId }))
  return measured(stage, { sink, count, start })
}

async function measured(stage: Stage, { sink, count, start }: { sink: Sink; count: number; start(): Promise<void> }): Promise<Window> {
  const goal = (await sink.count()) + count
  await start()
  const before = readProcesses()
  const from = performance.now()
  while ((await sink.count()) < goal) {
    if (performance.now() - from > 120_000) throw new Error(`${goal - (await sink.count())} of ${count} deliveries are missing.`)
    await delay(5)
  }
  const seconds = (performance.now() - from) / 1000
  // Results are stored a moment after the last POST.
  await delay(300)
  return { rate: count / seconds, ...costs(stage, { before, after: readProcesses(), count }) }
}

function costs({ quittance, engines }: Stage, { before, after, count }: { before: ProcessTable; after: ProcessTable; count: number }) {
  const span = { before, after }
  const node = [...quittance.pids('webhooks'), ...quittance.pids('orders')].reduce((sum, pid) => sum + processCpuMs(span, pid), 0)
  const postgres = postgresCpuMs(span, { root: engines.postgres.pid, databases: ['webhooks', 'orders'] })
  return {
    nodeUs: (node * 1000) / count,
    postgresUs: (postgres * 1000) / count,
    natsUs: (treeCpuMs(span, engines.nats.pid) * 1000) / count,
  }
}

interface Isolation {
  events: number
  p50Ms: number
  p99Ms: number
  maxMs: number
}

/** Measures latencies while other endpoints hang. The healthy endpoint has replied before; the others never do. */
async function isolate({ quittance, engines }: Stage, { sink, endpoints }: Omit<Load, 'count'>): Promise<Isolation> {
  const dead = await endpoints.copy(hanging, `${sink.origin}/hang`)
  await sink.latencies()
  await makeDue(engines.postgres.url('webhooks'), { endpoints: dead, perEndpoint: 5, organizationId: endpoints.organizationId })
  const events = 600
  await inDatabase(quittance.ordersDatabaseUrl, async (client) => {
    for (let event = 0; event < events; event += 1) {
      await commitEvents(client, { count: 1, organizationId: endpoints.organizationId })
      await delay(50)
    }
  })
  await delay(2_000)
  const latencies = await sink.latencies()
  if (latencies.length < events) throw new Error(`${latencies.length} of ${events} events have arrived.`)
  return { events, p50Ms: quantile(latencies, 0.5), p99Ms: quantile(latencies, 0.99), maxMs: Math.max(...latencies) }
}

function describe({ rounds, isolation, claims }: { rounds: readonly Round[]; isolation: Isolation; claims: readonly ClaimTime[] }): string {
  const of = (pick: (round: Round) => number) => median(rounds.map(pick))
  const row = (name: string, pick: (round: Round) => Window) => [
    name,
    of((round) => pick(round).rate).toFixed(0),
    ...(['nodeUs', 'postgresUs', 'natsUs'] as const).map((key) => of((round) => pick(round)[key]).toFixed(0)),
  ]
  const limits = rounds.map(({ limit }) => limit.rate)
  return [
    `deliveries: about ${deliveriesPerWindow} for ${types.length} endpoints in each window, 2 kB, signed twice; compared with a loop of bare signed POSTs, 50 in flight; medians`,
    '',
    ...table(
      ['', 'per second', 'Node µs', 'postgres µs', 'nats µs'],
      [
        ['bare POST', of(({ limit }) => limit.rate).toFixed(0), of(({ limit }) => limit.cpuUs).toFixed(0), '0', '0'],
        row('dispatch alone', ({ dispatch }) => dispatch),
        row('outbox to POST', ({ whole }) => whole),
      ],
    ),
    '',
    atLeast('dispatch / bare POST', { own: rounds.map(({ dispatch }) => dispatch.rate), limits, wanted: 0.35 }),
    atLeast('outbox to POST / bare POST', { own: rounds.map(({ whole }) => whole.rate), limits, wanted: 0.2 }),
    `${hanging} hanging endpoints beside healthy ones, ${isolation.events} events: commit to arrival p50 ${isolation.p50Ms} ms, p99 ${isolation.p99Ms} ms, ` +
      `maximum ${isolation.maxMs} ms. p99 below 1000 ms is required: ${isolation.p99Ms < 1_000 ? 'met' : 'NOT MET'}.`,
    ...claims.map(
      ({ waiting, takeMs, readMs }) =>
        `With ${waiting} deliveries waiting: claiming 256 queues ${takeMs.toFixed(1)} ms, reading the first due delivery of 50 of them ${readMs.toFixed(1)} ms.`,
    ),
  ].join('\n')
}

function atLeast(what: string, { own, limits, wanted }: { own: number[]; limits: number[]; wanted: number }): string {
  const { median: middle, least, most } = ratio(own, limits)
  const assessment = middle >= wanted ? 'met' : 'NOT MET'
  return `${what} = ${middle.toFixed(2)} (rounds: ${least.toFixed(2)} … ${most.toFixed(2)}). At least ${wanted} is required: ${assessment}.`
}
