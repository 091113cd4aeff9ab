/** Measures what a page costs its server, compared with a bare server that calls the API and sends the same HTML. */
import { setTimeout as delay } from 'node:timers/promises'
import { readProcesses, treeCpuMs } from '../cpu.ts'
import { assertNoErrors, startLoader, type Load, type LoadResult, type Loader } from '../load.ts'
import { startPagePeer } from '../peers/page/start.ts'
import type { Findings, Scenario, Stage } from '../scenario.ts'
import { median, ratio, ratioLine } from '../statistics.ts'
import type { Quittance } from '../system/quittance.ts'
import { table } from '../table.ts'
import { interleaved } from './interleaved.ts'

/** Maximum cost of the page server, as a multiple of the bare one, and in milliseconds per page. */
const limit = 1.5
const limitMs = 5
const defaultConnections = 16
const checkouts = 20
const idleMs = 4_000
/** As a browser sends them; pages are compressed. */
const headers = { accept: 'text/html', 'accept-encoding': 'gzip, deflate, br', 'accept-language': 'en-US' }

interface Contender {
  name: string
  origin: string
  /** The one process whose CPU is compared. */
  pid: number
}

/** CPU of the page server in milliseconds per page. */
interface Window extends LoadResult {
  nodeMs: number
}

export const checkoutPage: Scenario = {
  summary: 'CPU of the storefront per checkout page, side by side with a bare Fastify page with the same HTML',
  async run(stage) {
    const { quittance, options, log } = stage
    const connections = options.connections ?? defaultConnections
    const paths = await createCheckouts(quittance)
    const page = await (await fetch(`${quittance.origin}${paths[0]}`, { headers: { ...headers, 'accept-encoding': 'identity' } })).text()
    await using peer = await startPagePeer({ apiOrigin: quittance.origin, page })
    using loader = startLoader()
    const contenders: Contender[] = [
      { name: 'quittance', origin: quittance.origin, pid: quittance.pids('storefront')[0] as number },
      { name: 'bare', ...peer },
    ]
    const idle = await measureIdle(contenders)
    const load = ({ origin }: Contender, seconds: number): Load => ({ origin, token: '', paths, headers, connections, seconds })
    const windows = await interleaved(contenders, {
      options,
      log,
      warmUp: async (contender, seconds) => assertNoErrors(contender, await loader.run(load(contender, seconds))),
      measure: (contender) => measure(contender, { stage, loader, load: load(contender, options.seconds) }),
    })
    const subject = `GET /checkout/{secret}, ${(page.length / 1024).toFixed(1)} kB of HTML, brotli, ${connections} in flight`
    return describe(`checkout-page: ${subject}; medians of ${options.rounds} interleaved windows of ${options.seconds} s`, {
      windows,
      idle,
    })
  },
}

async function createCheckouts({ origin, token, demo }: Quittance): Promise<string[]> {
  const create = async () => {
    const response = await fetch(`${origin}/v1/checkouts/`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ products: [demo.product_id] }),
    })
    return `/checkout/${((await response.json()) as { client_secret: string }).client_secret}`
  }
  return Promise.all(Array.from({ length: checkouts }, create))
}

async function measure(contender: Contender, { stage, loader, load }: { stage: Stage; loader: Loader<Load>; load: Load }): Promise<Window> {
  const before = readProcesses()
  const result = await loader.run(load)
  const span = { before, after: readProcesses() }
  assertNoErrors(contender, result)
  if (!span.after.has(contender.pid)) throw new Error(`The run is not valid: ${contender.name} has ended.\n${stage.quittance.output()}`)
  return { ...result, nodeMs: treeCpuMs(span, contender.pid) / result.answered }
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
  const [ours, bare] = [...windows.values()].map((own) => own.map(({ nodeMs }) => nodeMs)) as [number[], number[]]
  const cpu = ratio(ours, bare)
  const pageMs = median(ours)
  const text = [
    title,
    '',
    ...table(
      ['system', 'pages/s', 'p50 ms', 'p99 ms', 'CPU ms/page', 'bytes', 'errors'],
      rows.map(({ name, pagesPerSecond, p50Ms, p99Ms, nodeMs, bytes, errors }) => [
        name,
        pagesPerSecond.toFixed(0),
        p50Ms.toFixed(1),
        p99Ms.toFixed(1),
        nodeMs.toFixed(3),
        bytes.toFixed(0),
        String(errors),
      ]),
    ),
    '',
    ratioLine('CPU storefront / bare page', cpu, limit),
    `CPU per page: ${pageMs.toFixed(2)} ms; at most ${limitMs} ms: ${pageMs <= limitMs ? 'met' : 'NOT met'}.`,
    `Without requests: ${Object.entries(idle)
      .map(([name, ms]) => `${name} ${ms.toFixed(1)}`)
      .join(', ')} ms of CPU per second (included above).`,
  ].join('\n')
  return { scenario: 'checkout-page', text, figures: { rows, ratio: cpu, pageMs, idle, windows: Object.fromEntries(windows) } }
}

function medians(windows: readonly Window[]) {
  const of = (pick: (window: Window) => number) => median(windows.map(pick))
  return {
    pagesPerSecond: of(({ answered, seconds }) => answered / seconds),
    p50Ms: of(({ p50Ms }) => p50Ms),
    p99Ms: of(({ p99Ms }) => p99Ms),
    nodeMs: of(({ nodeMs }) => nodeMs),
    bytes: of(({ meanBytes }) => meanBytes),
    errors: windows.reduce((sum, { errors }) => sum + errors, 0),
  }
}
