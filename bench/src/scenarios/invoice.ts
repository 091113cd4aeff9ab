/** How long a person waits for an invoice, from the order of it to the flag that says it is there. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Scenario } from '../scenario.ts'
import { quantile } from '../statistics.ts'
import { ask } from '../system/ask.ts'
import { makeLongOrders, makeOrders } from '../system/orders.ts'
import type { Quittance } from '../system/quittance.ts'
import { table } from '../table.ts'

const lines = 10
/** The first ones start the browser and fill its caches. */
const warmUps = 3
const samples = 20
const limitMs = 2_000
const pollMs = 10
const patienceMs = 30_000

export const invoice: Scenario = {
  summary: 'time from POST /v1/orders/{id}/invoice to is_invoice_generated, 10 lines, warm browser',
  async run({ quittance, say }) {
    await makeOrders(quittance)
    const orderIds = await makeLongOrders(quittance, { orders: warmUps + samples, lines })
    say(`generating ${orderIds.length} invoices, one after the other`)
    const times: number[] = []
    for (const id of orderIds) times.push(await generate(quittance, id))
    await demandDocument(quittance, orderIds.at(-1) as string)
    const warm = times.slice(warmUps)
    const [first = Number.NaN] = times
    const figures = { firstMs: first, p50Ms: quantile(warm, 0.5), p95Ms: quantile(warm, 0.95), mostMs: Math.max(...warm), samples }
    return { scenario: 'invoice', text: describe(figures), figures: { ...figures, times } }
  },
}

function describe({ firstMs, p50Ms, p95Ms, mostMs }: Record<'firstMs' | 'p50Ms' | 'p95Ms' | 'mostMs', number>): string {
  const ms = (value: number) => `${value.toFixed(0)} ms`
  return [
    `invoice: POST /v1/orders/{id}/invoice to is_invoice_generated, ${lines} lines; ${samples} one after the other, looked at every ${pollMs} ms`,
    '',
    ...table(
      ['system', 'first of all', 'warm p50', 'warm p95', 'warm max'],
      [['quittance', ms(firstMs), ms(p50Ms), ms(p95Ms), ms(mostMs)]],
    ),
    '',
    `At most ${limitMs} ms is wanted: ${mostMs <= limitMs ? 'kept' : 'NOT KEPT'} by all ${samples}.`,
  ].join('\n')
}

async function generate(quittance: Quittance, id: string): Promise<number> {
  const started = performance.now()
  const { status } = await ask(quittance, { method: 'POST', path: `/v1/orders/${id}/invoice` })
  if (status !== 202) throw new Error(`The order of an invoice was answered with ${status}.`)
  while (performance.now() - started < patienceMs) {
    const { body } = await ask(quittance, { method: 'GET', path: `/v1/orders/${id}` })
    if (body?.['is_invoice_generated'] === true) return performance.now() - started
    await delay(pollMs)
  }
  throw new Error(`There was no invoice after ${patienceMs / 1000} s.`)
}

/** A flag without a document would be fast too. */
async function demandDocument(quittance: Quittance, id: string): Promise<void> {
  const { body } = await ask(quittance, { method: 'GET', path: `/v1/orders/${id}/invoice` })
  const bytes = await (await fetch(String(body?.['url']))).bytes()
  if (Buffer.from(bytes.subarray(0, 5)).toString() !== '%PDF-') throw new Error('What the link gives is not a PDF.')
}
