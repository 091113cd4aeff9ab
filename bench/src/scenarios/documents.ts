/** Short and long documents, a hundred at once, and downloads: what the checklist of invoices promises in figures. */
import { setTimeout as delay } from 'node:timers/promises'
import { mostOf, treeMemory } from '../memory.ts'
import type { Scenario } from '../scenario.ts'
import { quantile } from '../statistics.ts'
import { download, generateInvoices } from '../system/invoices.ts'
import { makeLongOrders, makeOrders } from '../system/orders.ts'
import type { Quittance } from '../system/quittance.ts'
import { table } from '../table.ts'

interface Length {
  lines: number
  samples: number
  /** Longest p95 that is wanted. Of few samples the p95 is the slowest. */
  limitMs: number
}

const short: Length = { lines: 10, samples: 40, limitMs: 2_000 }
const long: Length = { lines: 1_000, samples: 10, limitMs: 5_000 }
const longest: Length = { lines: 5_000, samples: 4, limitMs: 20_000 }
const batch = 100
const batchLimitMs = 60_000
const memoryLimit = 1e9
/** After this long nothing is under way, and what was garbage is collected as far as it ever is. */
const settleMs = 10_000
/** The gateway lets an address ask a hundred times a second. */
const pauseMs = 1_500
const downloads = 200
const betweenDownloadsMs = 20
const downloadLimitMs = 50

export const documents: Scenario = {
  summary: 'invoices of 10, 1,000 and 5,000 lines; memory of 100 at once; downloads of 300 kB',
  async run({ quittance, say }) {
    await makeOrders(quittance)
    const ids = await makeLongOrders(quittance, { orders: 1 + short.samples + 3 * batch, lines: short.lines })
    // The first one starts the browser.
    await generateInvoices(quittance, ids.splice(0, 1))
    say(`${short.samples} invoices of ${short.lines} lines, one after the other`)
    const times = [await oneByOne(quittance, { ...short, ids: ids.splice(0, short.samples) })]
    await delay(pauseMs)
    say(`three times ${batch} invoices of ${short.lines} lines at once`)
    const crowd = await measureCrowd(quittance, ids)
    const longIds = await makeLongOrders(quittance, { orders: long.samples, lines: long.lines })
    for (const length of [long, longest]) {
      say(`${length.samples} invoices of ${length.lines} lines, one after the other`)
      const made = length === long ? longIds : await makeLongOrders(quittance, { orders: length.samples, lines: length.lines })
      times.push(await oneByOne(quittance, { ...length, ids: made }))
    }
    await delay(settleMs)
    const afterLong = invoicesMemory(quittance)
    say(`${downloads} downloads`)
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
  most: number
  after: number
}

/** Two hundred go before, so that what is compared is a service that has worked with one that has worked more. */
async function measureCrowd(quittance: Quittance, ids: readonly string[]): Promise<Crowd> {
  await generateInvoices(quittance, ids.slice(0, batch))
  await generateInvoices(quittance, ids.slice(batch, 2 * batch))
  await delay(settleMs)
  const before = invoicesMemory(quittance)
  const generating = generateInvoices(quittance, ids.slice(2 * batch, 3 * batch))
  const most = await mostOf(() => invoicesMemory(quittance), generating)
  await delay(settleMs)
  return { ms: await generating, before, most, after: invoicesMemory(quittance) }
}

interface Downloaded {
  bytes: number
  p50Ms: number
  p95Ms: number
}

/** The link and the bytes, one after the other. */
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
const verdict = (isKept: boolean) => (isKept ? 'kept' : 'NOT KEPT')

function describe({ times, crowd, afterLong, downloaded }: Figures): string {
  const change = crowd.after / crowd.before - 1
  const isSteady = crowd.most < memoryLimit && Math.abs(change) <= 0.1
  const { bytes, p50Ms, p95Ms } = downloaded
  return [
    'documents: POST /v1/orders/{id}/invoice until the order says that its invoice is there, one after the other, warm browser',
    '',
    ...table(
      ['lines', 'samples', 'p50', 'p95', 'wanted', 'verdict'],
      times.map((each) => [
        ...[each.lines, each.samples].map(String),
        ...[each.p50Ms, each.p95Ms, each.limitMs].map(ms),
        verdict(each.p95Ms <= each.limitMs),
      ]),
    ),
    '',
    `${batch} invoices of ${short.lines} lines at once: ${(crowd.ms / 1000).toFixed(1)} s. At most ${batchLimitMs / 1000} s is wanted: ${verdict(crowd.ms <= batchLimitMs)}.`,
    `Memory of invoices and its browser (Pss): ${mb(crowd.before)} before, at most ${mb(crowd.most)} meanwhile, ${mb(crowd.after)} afterwards (${(100 * change).toFixed(1)} %).`,
    `Below ${mb(memoryLimit)} and back to within 10 % is wanted: ${verdict(isSteady)}. After the long ones: ${mb(afterLong)}.`,
    `Link and download of ${(bytes / 1000).toFixed(0)} kB: p50 ${p50Ms.toFixed(1)} ms, p95 ${p95Ms.toFixed(1)} ms. At most ${downloadLimitMs} ms is wanted: ${verdict(p95Ms <= downloadLimitMs)}.`,
  ].join('\n')
}
