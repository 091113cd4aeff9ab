/** Measures the cost of a page of ten for a seller with a million orders, compared with one with ten thousand. */
import { request } from 'undici'
import type { Contender } from '../contender.ts'
import { startLoader } from '../load.ts'
import type { Scenario, Stage } from '../scenario.ts'
import { makeSellers, readSample } from '../system/sellers.ts'
import { table } from '../table.ts'
import { comparison } from './comparison.ts'
import { interleaved } from './interleaved.ts'
import { createContender, measure, measureIdle, warmUp } from './measure.ts'

const defaultConnections = 16
const sizes = { large: 1_000_000, small: 10_000 }

export const listOrders: Scenario = {
  summary: 'CPU of a page of 10 of 1,000,000 orders, compared with one of 10,000; time of deep pages, sort orders and filters',
  async run(stage) {
    const { engines, options, log, quittance } = stage
    const { organization, second_organization: second } = quittance.demo
    log(`writing ${sizes.large} and ${sizes.small} orders, which takes minutes`)
    await makeSellers(quittance.ordersDatabaseUrl, [
      { organizationId: organization.id, kind: 'small', orders: sizes.small },
      { organizationId: second.id, kind: 'large', orders: sizes.large },
    ])
    const ours = createContender(quittance, ['/v1/orders/'])
    const large = { ...ours, name: 'of-1000000', token: second.organization_access_token }
    const contenders = [large, { ...ours, name: 'of-10000' }]
    using loader = startLoader()
    const idle = await measureIdle(contenders, engines)
    const measuring = { loader, stage, connections: options.connections ?? defaultConnections }
    const windows = await interleaved(contenders, {
      options,
      log,
      warmUp: (contender, seconds) => warmUp(contender, { ...measuring, seconds }),
      measure: (contender) => measure(contender, measuring),
    })
    const subject = `GET /v1/orders/, page of 10, ${measuring.connections} in flight`
    const title = `list-orders: ${subject}; medians of ${options.rounds} interleaved windows of ${options.seconds} s`
    const { text, figures } = comparison({ title, windows, idle, limits: { 'of-10000': 2 } })
    const once = await askOnce(stage, large)
    return { scenario: 'list-orders', text: [text, '', ...once].join('\n'), figures }
  },
}

const repetitions = 5

/** Times deep pages, every sort order and every filter of the larger list. */
async function askOnce({ quittance }: Stage, contender: Contender): Promise<string[]> {
  const { product, customer, discount } = await readSample(quittance.ordersDatabaseUrl, 'large')
  const orders = ['created_at', '-amount', 'customer', '-product', 'discount', '-subscription'].map((word) => `sorting=${word}`)
  const pages = ['page=100', 'page=1000', 'page=50000', 'page=100000', 'page=50000&sorting=amount', 'page=50000&sorting=-product']
  const filters = [
    `product_id=${product}`,
    `customer_id=${customer}`,
    `discount_id=${discount}`,
    `checkout_id=${customer}`,
    'product_billing_type=recurring',
    'metadata[campaign]=c100',
    'metadata[campaign]=none',
  ]
  const rows: string[][] = []
  for (const query of ['', ...pages, ...orders, ...filters]) {
    const asked = await ask(contender, query)
    rows.push([query.replace(/[0-9a-f-]{36}/, '…') || 'first page', String(asked.total), asked.ms.toFixed(1)])
  }
  return [`Of the larger list, through the gateway, the shortest of ${repetitions}:`, '', ...table(['query', 'total_count', 'ms'], rows)]
}

async function ask({ origin, token }: Contender, query: string): Promise<{ total: number; ms: number }> {
  let [ms, total] = [Number.POSITIVE_INFINITY, 0]
  for (let round = 0; round < repetitions; round += 1) {
    const from = performance.now()
    const { statusCode, body } = await request(`${origin}/v1/orders/?${query}`, { headers: { authorization: `Bearer ${token}` } })
    const reply = (await body.json()) as { pagination: { total_count: number } }
    ms = Math.min(ms, performance.now() - from)
    if (statusCode !== 200) throw new Error(`${query} returned ${statusCode}: ${JSON.stringify(reply)}`)
    total = reply.pagination.total_count
  }
  return { total, ms }
}
