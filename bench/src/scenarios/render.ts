/** How many documents the system makes in a second, beside a browser that prints the same page over and over. */
import { setTimeout as delay } from 'node:timers/promises'
import { thawed, type FrozenDocument } from '@quittance/invoices/invoices/frozen-document'
import { documentHtml } from '@quittance/invoices/rendering/document-template'
import { findBrowser } from '@quittance/invoices/rendering/find-browser'
import { fontFile, fontNamed } from '@quittance/invoices/rendering/font-files'
import { Client } from 'pg'
import { launch, type Browser, type HTTPRequest, type Page } from 'puppeteer'
import { postgresCpuMs, processCpuMs, readProcesses, treeCpuMs, type Span } from '../cpu.ts'
import type { Scenario, Stage } from '../scenario.ts'
import { median, quantile } from '../statistics.ts'
import { ask } from '../system/ask.ts'
import { generateInvoices } from '../system/invoices.ts'
import { makeLongOrders, makeOrders } from '../system/orders.ts'
import type { Quittance } from '../system/quittance.ts'
import { table } from '../table.ts'

const lines = 10
/** Asked for at once. */
const batch = 50
/** Of one measurement: a single batch is over in four seconds, of which its asking and its last document are a good part. */
const documents = 3 * batch
/** From one batch to the next: the gateway lets an address ask a hundred times a second. */
const batchesApartMs = 1_100
/** As many as the service's browser has. */
const pages = 2
/** Looking costs something itself. */
const lookEveryMs = 100

export const render: Scenario = {
  summary: 'documents per second of 150 invoices, asked for 50 at a time, beside bare page.pdf() of the same HTML; reads meanwhile',
  async run(stage) {
    const { quittance, options, say } = stage
    const [orderId = ''] = await makeOrders(quittance)
    const orderIds = await makeLongOrders(quittance, { orders: batch + (batch + documents) * options.rounds, lines })
    say('warming up')
    await generate(quittance, orderIds.splice(0, batch))
    const html = await pageOf(quittance)
    const browser = await launch({ executablePath: await findBrowser(undefined), headless: true, pipe: true, args: ['--no-sandbox'] })
    try {
      const bare = await warmPages(browser)
      await printAll(bare, html)
      const [one] = bare as [Page]
      const carrying = withFonts(html)
      const rounds: Round[] = []
      for (let round = 0; round < options.rounds; round += 1) {
        const idle = await readFor(quittance, orderId, delay(3_000))
        const busy = await readFor(quittance, orderId, generate(quittance, orderIds.splice(0, batch)))
        await delay(batchesApartMs)
        const before = readProcesses()
        const seconds = await generate(quittance, orderIds.splice(0, documents))
        const cpu = cpuOfParts(stage, { before, after: readProcesses() })
        const ours = documents / seconds
        const [onePage, barePage] = await withCpu(browser, () => printAll([one], html))
        const twoPages = await printAll(bare, html)
        const fontsInside = await printAll([one], carrying)
        say(`round ${round + 1}: ${[ours, onePage, twoPages, fontsInside].map((rate) => rate.toFixed(2)).join(', ')} documents/s`)
        rounds.push({ ours, onePage, twoPages, fontsInside, idle, busy, cpu, barePage })
      }
      return { scenario: 'render', text: describe(rounds), figures: rounds }
    } finally {
      await browser.close()
    }
  },
}

interface Round {
  ours: number
  onePage: number
  twoPages: number
  /** One page again, of HTML that carries its fonts. */
  fontsInside: number
  /** p95 of GET /v1/orders/{id} in milliseconds, without and with 50 invoices under way. */
  idle: number
  busy: number
  /** Milliseconds of CPU for each document, by who used them. */
  cpu: Readonly<Record<string, number>>
  /** The same of the bare browser with one page. */
  barePage: number
}

function cpuOfParts({ quittance, engines }: Stage, span: Span): Round['cpu'] {
  const tree = (pids: readonly number[]) => pids.reduce((sum, pid) => sum + treeCpuMs(span, pid), 0)
  const own = (pids: readonly number[]) => pids.reduce((sum, pid) => sum + processCpuMs(span, pid), 0)
  const invoices = quittance.pids('invoices')
  const parts = {
    browser: tree(invoices) - own(invoices),
    invoices: own(invoices),
    ...Object.fromEntries((['orders', 'webhooks', 'gateway', 'auth'] as const).map((name) => [name, own(quittance.pids(name))])),
    postgres: postgresCpuMs(span, { root: engines.postgres.pid, databases: ['auth', 'orders', 'invoices', 'webhooks'] }),
    nats: treeCpuMs(span, engines.nats.pid),
  }
  return Object.fromEntries(Object.entries(parts).map(([name, ms]) => [name, ms / documents]))
}

/** What the work gives, and what the browser used of CPU for each document. */
async function withCpu<T>(browser: Browser, work: () => Promise<T>): Promise<[T, number]> {
  const root = browser.process()?.pid ?? 0
  const before = readProcesses()
  const result = await work()
  return [result, treeCpuMs({ before, after: readProcesses() }, root) / documents]
}

function describe(rounds: readonly Round[]): string {
  const of = (key: Exclude<keyof Round, 'cpu'>) => median(rounds.map((round) => round[key]))
  const ratio = (bare: 'onePage' | 'twoPages' | 'fontsInside') => {
    const ratios = rounds.map((round) => round.ours / round[bare])
    return `${median(ratios).toFixed(2)} (rounds ${Math.min(...ratios).toFixed(2)} … ${Math.max(...ratios).toFixed(2)})`
  }
  const rate = (value: number) => value.toFixed(2)
  const parts = Object.keys(rounds[0]?.cpu ?? {}).map((part) => `${part} ${median(rounds.map(({ cpu }) => cpu[part] ?? 0)).toFixed(0)}`)
  return [
    `render: ${documents} invoices of ${lines} lines, asked for ${batch} at a time, until all are told of; bare: setContent and pdf of the same HTML, its fonts in memory, nothing else`,
    '',
    ...table(
      ['', 'documents/s', 'quittance to it'],
      [
        ['quittance', rate(of('ours')), ''],
        ['bare, one warm page', rate(of('onePage')), ratio('onePage')],
        [`bare, ${pages} warm pages`, rate(of('twoPages')), ratio('twoPages')],
        ['bare, one warm page, fonts in the HTML', rate(of('fontsInside')), ratio('fontsInside')],
      ],
    ),
    '',
    `CPU per document in ms: ${parts.join(', ')}. The bare browser on one page: ${of('barePage').toFixed(0)}.`,
    'At least 0.8 of page.pdf() on a warm page is wanted. The system also answers, numbers, compacts, hashes, stores and tells.',
    `GET /v1/orders/{id} one after the other: p95 ${of('idle').toFixed(1)} ms, and ${of('busy').toFixed(1)} ms while the invoices render.`,
  ].join('\n')
}

/** All of them, a batch after the other; the seconds from the first request to the last word. */
async function generate(quittance: Quittance, orderIds: readonly string[]): Promise<number> {
  const from = performance.now()
  const batches = Array.from({ length: Math.ceil(orderIds.length / batch) }, (_, index) =>
    orderIds.slice(index * batch, (index + 1) * batch),
  )
  await Promise.all(
    batches.map(async (ids, index) => {
      await delay(index * batchesApartMs)
      await generateInvoices(quittance, ids, { everyMs: lookEveryMs })
    }),
  )
  return (performance.now() - from) / 1000
}

/** Reads one order over and over until the work is done; gives the 95th percentile in milliseconds. */
async function readFor(quittance: Quittance, orderId: string, work: Promise<unknown>): Promise<number> {
  let done = false
  const ending = work.finally(() => (done = true))
  const times: number[] = []
  while (!done) {
    const from = performance.now()
    const { status } = await ask(quittance, { method: 'GET', path: `/v1/orders/${orderId}` })
    if (status !== 200) throw new Error(`The order was answered with ${status}.`)
    times.push(performance.now() - from)
    await delay(20)
  }
  await ending
  return quantile(times, 0.95)
}

/** The page that the system printed last. */
async function pageOf({ invoicesDatabaseUrl }: Quittance): Promise<string> {
  const client = new Client({ connectionString: invoicesDatabaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{ printed: FrozenDocument }>('select printed from invoices order by requested_at desc limit 1')
    return documentHtml(thawed((rows[0] as { printed: FrozenDocument }).printed))
  } finally {
    await client.end()
  }
}

/** The same page for a browser that has no fonts: each is in it as a `data:` URL. */
function withFonts(html: string): string {
  return html.replaceAll(/url\((\/fonts\/[^)]+)\)/g, (_, path: string) => {
    const font = fontNamed(path)
    if (!font) throw new Error(`The page asks for ${path}.`)
    return `url(data:font/woff2;base64,${fontFile(font).bytes.toString('base64')})`
  })
}

/** As the service has them: without scripts, under an origin whose fonts are in memory. */
async function warmPages(browser: Browser): Promise<Page[]> {
  const found = await Promise.all(Array.from({ length: pages }, () => browser.newPage()))
  for (const page of found) {
    await page.setJavaScriptEnabled(false)
    await page.setRequestInterception(true)
    page.on('request', (request) => void answer(request))
    await page.goto('http://invoice.invalid/')
  }
  return found
}

async function answer(request: HTTPRequest): Promise<void> {
  const font = fontNamed(new URL(request.url()).pathname)
  if (font) await request.respond({ contentType: 'font/woff2', headers: { 'cache-control': 'max-age=3600' }, body: fontFile(font).bytes })
  else await request.respond({ contentType: 'text/html', body: '' })
}

/** Documents per second. */
async function printAll(warm: readonly Page[], html: string): Promise<number> {
  const from = performance.now()
  let left = documents
  const print = async (page: Page) => {
    while (left > 0) {
      left -= 1
      await page.setContent(html, { waitUntil: 'load' })
      await page.pdf({ preferCSSPageSize: true, printBackground: true, tagged: true, outline: false })
    }
  }
  await Promise.all(warm.map(print))
  return documents / ((performance.now() - from) / 1000)
}
