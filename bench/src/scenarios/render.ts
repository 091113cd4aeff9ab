/** Measures how many documents the system makes per second, compared with a browser that prints the same page in a loop. */
import { setTimeout as delay } from 'node:timers/promises'
import { parseSnapshot, type DocumentSnapshot } from '@quittance/invoices/invoices/document-snapshot'
import { documentPage } from '@quittance/invoices/rendering/document-template'
import { findBrowser } from '@quittance/invoices/rendering/find-browser'
import { fontFile, parseFontPath } from '@quittance/invoices/rendering/font-files'
import { Client } from 'pg'
import { Agent } from 'undici'
import { launch, type Browser, type HTTPRequest, type Page } from 'puppeteer'
import { postgresCpuMs, processCpuMs, readProcesses, treeCpuMs, type Span } from '../cpu.ts'
import type { Scenario, Stage } from '../scenario.ts'
import { median, quantile } from '../statistics.ts'
import { sendRequest } from '../system/api-request.ts'
import { generateInvoices } from '../system/invoices.ts'
import { makeLongOrders, makeOrders } from '../system/orders.ts'
import type { Quittance } from '../system/quittance.ts'
import { table } from '../table.ts'

const lines = 10
/** Invoices that one address requests at once. */
const batch = 50
/** Invoices of one measurement: of a single batch, the requests and the last document are a good part. */
const documents = 6 * batch
/** The processes compile their code while they handle the first invoices, whereas the bare browser has none to compile. */
const warmUps = 16 * batch
/** As many pages as the service's browser has. */
const pages = 2
/** Polling has a cost too. */
const pollMs = 100

export const render: Scenario = {
  summary: 'documents per second of 300 invoices, compared with bare page.pdf() of the same HTML; reads at the same time',
  async run(stage) {
    const { quittance, options, log } = stage
    const [orderId = ''] = await makeOrders(quittance)
    const orderIds = await makeLongOrders(quittance, { orders: warmUps + (batch + documents) * options.rounds, lines })
    log('warming up')
    await generate(quittance, orderIds.splice(0, warmUps))
    const html = await readLastPage(quittance)
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
        const before = readProcesses()
        const seconds = await generate(quittance, orderIds.splice(0, documents))
        const cpu = cpuOfParts(stage, { before, after: readProcesses() })
        const ours = documents / seconds
        const [onePage, barePage] = await withCpu(browser, () => printAll([one], html))
        const twoPages = await printAll(bare, html)
        const fontsInside = await printAll([one], carrying)
        log(`round ${round + 1}: ${[ours, onePage, twoPages, fontsInside].map((rate) => rate.toFixed(2)).join(', ')} documents/s`)
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
  /** One page again, with HTML that contains its fonts. */
  fontsInside: number
  /** p95 of GET /v1/orders/{id} in milliseconds, without and with 50 invoices in progress. */
  idle: number
  busy: number
  /** Milliseconds of CPU per document, by part of the system. */
  cpu: Readonly<Record<string, number>>
  /** The same for the bare browser with one page. */
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

/** Returns the result of the work, and the CPU time of the browser per document. */
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
    `render: ${documents} invoices of ${lines} lines, requested at once, until all are published; bare: setContent and pdf of the same HTML, its fonts in memory, nothing else`,
    '',
    ...table(
      ['', 'documents/s', 'quittance / bare'],
      [
        ['quittance', rate(of('ours')), ''],
        ['bare, one warm page', rate(of('onePage')), ratio('onePage')],
        [`bare, ${pages} warm pages`, rate(of('twoPages')), ratio('twoPages')],
        ['bare, one warm page, fonts in the HTML', rate(of('fontsInside')), ratio('fontsInside')],
      ],
    ),
    '',
    `CPU per document in ms: ${parts.join(', ')}. The bare browser on one page: ${of('barePage').toFixed(0)}.`,
    'At least 0.8 of page.pdf() on a warm page is required. The system also replies, numbers, compacts, hashes, stores and publishes.',
    `GET /v1/orders/{id} one after the other: p95 ${of('idle').toFixed(1)} ms, and ${of('busy').toFixed(1)} ms while the invoices render.`,
  ].join('\n')
}

/** Requests all invoices at once from several addresses; returns the seconds from the first request to the last event. */
async function generate(quittance: Quittance, orderIds: readonly string[]): Promise<number> {
  const from = performance.now()
  const batches = Array.from({ length: Math.ceil(orderIds.length / batch) }, (_, index) =>
    orderIds.slice(index * batch, (index + 1) * batch),
  )
  await Promise.all(
    batches.map(async (ids, index) => {
      // The gateway allows an address a hundred requests per second. The reads at the same time come from the first.
      const dispatcher = new Agent({ localAddress: `127.0.0.${index + 2}` })
      await generateInvoices(quittance, ids, { everyMs: pollMs, dispatcher })
      await dispatcher.close()
    }),
  )
  return (performance.now() - from) / 1000
}

/** Reads one order in a loop until the work is done; returns the 95th percentile in milliseconds. */
async function readFor(quittance: Quittance, orderId: string, work: Promise<unknown>): Promise<number> {
  let done = false
  const ending = work.finally(() => (done = true))
  const times: number[] = []
  while (!done) {
    const from = performance.now()
    const { status } = await sendRequest(quittance, { method: 'GET', path: `/v1/orders/${orderId}` })
    if (status !== 200) throw new Error(`The order was returned with status ${status}.`)
    times.push(performance.now() - from)
    await delay(20)
  }
  await ending
  return quantile(times, 0.95)
}

/** Returns the page that the system printed last. */
async function readLastPage({ invoicesDatabaseUrl }: Quittance): Promise<string> {
  const client = new Client({ connectionString: invoicesDatabaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{ printed: DocumentSnapshot }>('select printed from invoices order by requested_at desc limit 1')
    return documentPage(parseSnapshot((rows[0] as { printed: DocumentSnapshot }).printed)).html
  } finally {
    await client.end()
  }
}

/** Returns the same page for a browser without fonts: each font is embedded as a `data:` URL. */
function withFonts(html: string): string {
  return html.replaceAll(/url\((\/fonts\/[^)]+)\)/g, (_, path: string) => {
    const font = parseFontPath(path)
    if (!font) throw new Error(`The page requests ${path}.`)
    return `url(data:font/woff2;base64,${fontFile(font).bytes.toString('base64')})`
  })
}

/** Opens pages as the service does: without scripts, at an origin whose fonts are in memory. */
async function warmPages(browser: Browser): Promise<Page[]> {
  const found = await Promise.all(Array.from({ length: pages }, () => browser.newPage()))
  for (const page of found) {
    await page.setJavaScriptEnabled(false)
    await page.setRequestInterception(true)
    page.on('request', (request) => void respond(request))
    await page.goto('http://invoice.invalid/')
  }
  return found
}

async function respond(request: HTTPRequest): Promise<void> {
  const font = parseFontPath(new URL(request.url()).pathname)
  if (font) await request.respond({ contentType: 'font/woff2', headers: { 'cache-control': 'max-age=3600' }, body: fontFile(font).bytes })
  else await request.respond({ contentType: 'text/html', body: '' })
}

/** Prints the page repeatedly; returns documents per second. */
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
