/** Measures how long a user waits for an invoice, from the request to the flag on the order. */
import type { Scenario } from '../scenario.ts'
import { quantile } from '../statistics.ts'
import { download, generateInvoice, pollMs } from '../system/invoices.ts'
import { makeLongOrders, makeOrders } from '../system/orders.ts'
import { table } from '../table.ts'

const lines = 10
/** The first ones start the browser and fill its caches. */
const warmUps = 3
const samples = 20
const limitMs = 2_000

export const invoice: Scenario = {
  summary: 'time from POST /v1/orders/{id}/invoice to is_invoice_generated, 10 lines, warm browser',
  async run({ quittance, log }) {
    await makeOrders(quittance)
    const orderIds = await makeLongOrders(quittance, { orders: warmUps + samples, lines })
    log(`generating ${orderIds.length} invoices, one after the other`)
    const times: number[] = []
    for (const id of orderIds) times.push(await generateInvoice(quittance, id))
    await download(quittance, orderIds.at(-1) as string)
    const warm = times.slice(warmUps)
    const [first = Number.NaN] = times
    const figures = { firstMs: first, p50Ms: quantile(warm, 0.5), p95Ms: quantile(warm, 0.95), mostMs: Math.max(...warm), samples }
    return { scenario: 'invoice', text: describe(figures), figures: { ...figures, times } }
  },
}

function describe({ firstMs, p50Ms, p95Ms, mostMs: maxMs }: Record<'firstMs' | 'p50Ms' | 'p95Ms' | 'mostMs', number>): string {
  const ms = (value: number) => `${value.toFixed(0)} ms`
  return [
    `invoice: POST /v1/orders/{id}/invoice to is_invoice_generated, ${lines} lines; ${samples} one after the other, polled every ${pollMs} ms`,
    '',
    ...table(['system', 'first one', 'warm p50', 'warm p95', 'warm max'], [['quittance', ms(firstMs), ms(p50Ms), ms(p95Ms), ms(maxMs)]]),
    '',
    `At most ${limitMs} ms is required: ${maxMs <= limitMs ? 'met' : 'NOT MET'} by all ${samples}.`,
  ].join('\n')
}
