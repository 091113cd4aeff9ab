/** Measures what storing tokens in PostgreSQL costs the auth service, compared with the same provider that stores them in memory. */
import { setTimeout as delay } from 'node:timers/promises'
import { postgresCpuMs, readProcesses, treeCpuMs } from '../cpu.ts'
import { assertNoErrors, startRefreshLoader, type Loader, type LoadResult, type RefreshLoad } from '../load.ts'
import { startMemoryPeer } from '../peers/memory/start.ts'
import type { Findings, Scenario, Stage } from '../scenario.ts'
import { median, ratio, ratioLine } from '../statistics.ts'
import { authorizeOften } from '../system/refresh-tokens.ts'
import { table } from '../table.ts'
import { interleaved } from './interleaved.ts'

/** Maximum cost of our process, as a multiple of the one without a database. */
const limit = 1.7
const defaultConnections = 32
const scope = 'openid email'
const idleMs = 4_000

interface Contender {
  name: string
  origin: string
  /** The one Node process whose CPU is compared. */
  pid: number
  tokens: readonly string[]
}

/** CPU in milliseconds per refresh. */
interface Window extends LoadResult {
  nodeMs: number
  /** CPU of PostgreSQL for the database `auth`, for every contender. */
  postgresMs: number
}

export const refreshToken: Scenario = {
  summary: 'CPU of the auth process per refresh, side by side with the same provider in memory',
  async run(stage) {
    const { quittance, options, log } = stage
    const connections = options.connections ?? defaultConnections
    const { client_id, client_secret } = quittance.demo.oauth_client
    const client = { client_id, client_secret }
    const tokens = await authorizeOften(quittance, { scope, count: connections })
    const ours = { name: 'quittance', origin: quittance.authOrigin, pid: quittance.pids('auth')[0] as number, tokens }
    await using peer = await startMemoryPeer({ client, scope, count: connections })
    using loader = startRefreshLoader()
    const contenders: Contender[] = [ours, { name: 'memory', ...peer }]
    const idle = await measureIdle(contenders)
    const load = (contender: Contender, seconds: number) => ({ ...contender, client, connections, seconds })
    const windows = await interleaved(contenders, {
      options,
      log,
      warmUp: async (contender, seconds) => assertNoErrors(contender, await loader.run(load(contender, seconds))),
      measure: (contender) => measure(contender, { stage, loader, load: load(contender, options.seconds) }),
    })
    const subject = `POST /v1/oauth2/token, grant_type=refresh_token, ID token with RS256, ${connections} in flight`
    const title = `refresh-token: ${subject}; medians of ${options.rounds} interleaved windows of ${options.seconds} s`
    return describe(title, { windows, idle })
  },
}

async function measure(
  contender: Contender,
  { stage, loader, load }: { stage: Stage; loader: Loader<RefreshLoad>; load: RefreshLoad },
): Promise<Window> {
  const before = readProcesses()
  const result = await loader.run(load)
  const span = { before, after: readProcesses() }
  assertNoErrors(contender, result)
  if (!span.after.has(contender.pid)) throw new Error(`The run is not valid: ${contender.name} has ended.\n${stage.quittance.output()}`)
  return {
    ...result,
    nodeMs: treeCpuMs(span, contender.pid) / result.answered,
    postgresMs: postgresCpuMs(span, { root: stage.engines.postgres.pid, databases: ['auth'] }) / result.answered,
  }
}

/** Measures CPU milliseconds per second without requests. */
async function measureIdle(contenders: readonly Contender[]): Promise<Record<string, number>> {
  const before = readProcesses()
  await delay(idleMs)
  const span = { before, after: readProcesses() }
  return Object.fromEntries(contenders.map(({ name, pid }) => [name, treeCpuMs(span, pid) / (idleMs / 1000)]))
}

type Measured = { windows: ReadonlyMap<string, readonly Window[]>; idle: Record<string, number> }

function describe(title: string, { windows, idle }: Measured): Findings {
  const rows = [...windows].map(([name, own]) => ({ name, ...medians(own) }))
  const [ours, memory] = [...windows.values()] as [readonly Window[], readonly Window[]]
  const nodeMs = (own: readonly Window[]) => own.map((window) => window.nodeMs)
  const cpu = ratio(nodeMs(ours), nodeMs(memory))
  const text = [
    title,
    '',
    ...table(
      ['system', 'req/s', 'p50 ms', 'p99 ms', 'Node CPU ms/request', 'bytes', 'errors'],
      rows.map(({ name, requestsPerSecond, p50Ms, p99Ms, nodeMs, bytes, errors }) => [
        name,
        requestsPerSecond.toFixed(0),
        p50Ms.toFixed(1),
        p99Ms.toFixed(1),
        nodeMs.toFixed(3),
        bytes.toFixed(0),
        String(errors),
      ]),
    ),
    '',
    ratioLine('Node CPU quittance / memory', cpu, limit),
    `Not in the ratio: ${rows[0]?.postgresMs.toFixed(3)} ms/request of PostgreSQL for quittance.`,
    `Without requests: ${Object.entries(idle)
      .map(([name, ms]) => `${name} ${ms.toFixed(1)}`)
      .join(', ')} ms of Node CPU per second (included above).`,
  ].join('\n')
  return { scenario: 'refresh-token', text, figures: { rows, ratio: cpu, idle, windows: Object.fromEntries(windows) } }
}

function medians(windows: readonly Window[]) {
  const of = (pick: (window: Window) => number) => median(windows.map(pick))
  return {
    requestsPerSecond: of(({ answered, seconds }) => answered / seconds),
    p50Ms: of(({ p50Ms }) => p50Ms),
    p99Ms: of(({ p99Ms }) => p99Ms),
    nodeMs: of(({ nodeMs }) => nodeMs),
    postgresMs: of(({ postgresMs }) => postgresMs),
    bytes: of(({ meanBytes }) => meanBytes),
    errors: windows.reduce((sum, { errors }) => sum + errors, 0),
  }
}
