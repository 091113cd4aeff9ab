/** Measures short and long documents, a hundred at once, and downloads: the figures that the checklist of invoices promises. */
import { setTimeout as delay } from 'node:timers/promises'
import { sampleMaximum, treeMemory } from '../memory.ts'
import type { Scenario } from '../scenario.ts'
import { quantile } from '../statistics.ts'
import { download, generateInvoices } from '../system/invoices.ts'
import { makeLongOrders, makeOrders } from '../system/orders.ts'
import type { Quittance } from '../system/quittance.ts'
import { table } from '../table.ts'

interface Length {
  lines: number
  samples: number
  /** Maximum p95. Of few samples the p95 is the slowest. */
  limitMs: number
}

const short: Length = { lines: 10, samples: 40, limitMs: 2_000 }
const long: Length = { lines: 1_000, samples: 10, limitMs: 5_000 }
const longest: Length = { lines: 5_000, samples: 4, limitMs: 20_000 }
const batch = 100
const batchLimitMs = 60_000
const memoryLimit = 1e9
/** After this time nothing is in progress, and garbage is collected as far as it ever is. */
const settleMs = 10_000
/** The gateway allows an address a hundred requests per second. */
const pauseMs = 1_500
const downloads = 200
const betweenDownloadsMs = 20
const downloadLimitMs = 50

export const documents: Scenario = {
  summary: 'invoices of 10, 1,000 and 5,000 lines; memory of 100 at once; downloads of 300 kB',
  async run({ quittance, log }) {
    await makeOrders(quittance)
    const ids = await makeLongOrders(quittance, { orders: 1 + short.samples + 3 * batch, lines: short.lines })
    // The first one starts the browser.
    await generateInvoices(quittance, ids.splice(0, 1))
    log(`${short.samples} invoices of ${short.lines} lines, one after the other`)
    const times = [await oneByOne(quittance, { ...short, ids: ids.splice(0, short.samples) })]
    await delay(pauseMs)
    log(`three times ${batch} invoices of ${short.lines} lines at once`)
    const crowd = await measureCrowd(quittance, ids)
    const longIds = await makeLongOrders(quittance, { orders: long.samples, lines: long.lines })
    for (const length of [long, longest]) {
      log(`${length.samples} invoices of ${length.lines} lines, one after the other`)
      const made = length === long ? longIds : await makeLongOrders(quittance, { orders: length.samples, lines: length.lines })
      times.push(await oneByOne(quittance, { ...length, ids: made }))
    }
    await delay(settleMs)
    const afterLong = invoicesMemory(quittance)
    log(`${downloads} downloads`)
    const figures = { times, crowd, afterLong, downloaded: await measureDownloads(quittance, longIds[0] ?? '') }
    return { scenario: 'documents', text: describe(figures), figures }
  },
}

interface Times extends Length {
  p50Ms: number
  p95Ms: number
}

async function oneByOne(quittance: Quittance, { ids, ...length }: Length & { ids: readonly string[] }): Promise<Times> {
  const taken: number[] = []
  for (const id of ids) taken.push(await generateInvoices(quittance, [id]))
  return { ...length, p50Ms: quantile(taken, 0.5), p95Ms: quantile(taken, 0.95) }
}

function invoicesMemory(quittance: Quittance): number {
  return quittance.pids('invoices').reduce((sum, pid) => sum + treeMemory(pid), 0)
}

interface Crowd {
  ms: number
  /** Bytes of the invoices service and its browser. */
  before: number
  peak: number
  after: number
}

/** Measures a batch after two warm-up batches, so that both memory figures are of a service that has already worked. */
async function measureCrowd(quittance: Quittance, ids: readonly string[]): Promise<Crowd> {
  await generateInvoices(quittance, ids.slice(0, batch))
  await generateInvoices(quittance, ids.slice(batch, 2 * batch))
  await delay(settleMs)
  const before = invoicesMemory(quittance)
  const generating = generateInvoices(quittance, ids.slice(2 * batch, 3 * batch))
  const peak = await sampleMaximum(() => invoicesMemory(quittance), generating)
  await delay(settleMs)
  return { ms: await generating, before, peak, after: invoicesMemory(quittance) }
}

interface Downloaded {
  bytes: number
  p50Ms: number
  p95Ms: number
}

/** Times the request of the link and the download, one after the other. */
async function measureDownloads(quittance: Quittance, orderId: string): Promise<Downloaded> {
  const taken: number[] = []
  let bytes = 0
  for (let count = 0; count < downloads; count += 1) {
    const started = performance.now()
    bytes = (await download(quittance, orderId)).length
    taken.push(performance.now() - started)
    await delay(betweenDownloadsMs)
  }
  return { bytes, p50Ms: quantile(taken, 0.5), p95Ms: quantile(taken, 0.95) }
}

interface Figures {
  times: Times[]
  crowd: Crowd
  afterLong: number
  downloaded: Downloaded
}

const ms = (value: number) => `${value.toFixed(0)} ms`
const mb = (value: number) => `${(value / 1e6).toFixed(0)} MB`
const formatAssessment = (isMet: boolean) => (isMet ? 'met' : 'NOT MET')

function describe({ times, crowd, afterLong, downloaded }: Figures): string {
  const change = crowd.after / crowd.before - 1
  const isSteady = crowd.peak < memoryLimit && Math.abs(change) <= 0.1
  const { bytes, p50Ms, p95Ms } = downloaded
  return [
    'documents: POST /v1/orders/{id}/invoice until is_invoice_generated is true, one after the other, warm browser',
    '',
    ...table(
      ['lines', 'samples', 'p50', 'p95', 'limit', 'result'],
      times.map((each) => [
        ...[each.lines, each.samples].map(String),
        ...[each.p50Ms, each.p95Ms, each.limitMs].map(ms),
        formatAssessment(each.p95Ms <= each.limitMs),
      ]),
    ),
    '',
    `${batch} invoices of ${short.lines} lines at once: ${(crowd.ms / 1000).toFixed(1)} s. At most ${batchLimitMs / 1000} s is required: ${formatAssessment(crowd.ms <= batchLimitMs)}.`,
    `Memory of invoices and its browser (Pss): ${mb(crowd.before)} before, at most ${mb(crowd.peak)} during, ${mb(crowd.after)} afterwards (${(100 * change).toFixed(1)} %).`,
    `Below ${mb(memoryLimit)} and back to within 10 % is required: ${formatAssessment(isSteady)}. After the long ones: ${mb(afterLong)}.`,
    `Link and download of ${(bytes / 1000).toFixed(0)} kB: p50 ${p50Ms.toFixed(1)} ms, p95 ${p95Ms.toFixed(1)} ms. At most ${downloadLimitMs} ms is required: ${formatAssessment(p95Ms <= downloadLimitMs)}.`,
  ].join('\n')
}
