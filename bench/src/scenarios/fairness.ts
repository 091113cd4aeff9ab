/**
 * Measures what a hostile tenant costs another: reads and invoices of one tenant, without and with the other, whose payment provider hangs
 * too.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { startFakeStripe } from '@quittance/testing/stripe/fake-stripe'
import type { Scenario } from '../scenario.ts'
import { median, quantile } from '../statistics.ts'
import { sendRequest } from '../system/api-request.ts'
import { startHostileTenant } from '../system/hostile-tenant.ts'
import { generateInvoice } from '../system/invoices.ts'
import { makeLongOrders, makeOrders } from '../system/orders.ts'
import { startQuittance, type Quittance } from '../system/quittance.ts'
import { keepConfirming, openStripeTenant } from '../system/stripe-tenants.ts'
import { table } from '../table.ts'

const lines = 10
const warmUps = 3
const invoicesPerPhase = 12
const readsPerPhase = 120
const readEveryMs = 100
/** Time for the attacks to build up before the measurement. */
const buildUpMs = 10_000
const limit = 3
/** Confirmations whose provider hangs, at the same time. */
const slowPayments = 32

interface Phase {
  readMs: number[]
  invoiceMs: number[]
  /** Status or message of each failed request. */
  errors: string[]
}

export const fairness: Scenario = {
  summary: 'reads and invoices of one tenant while another sends unfinished bodies, pictures, refunds, writes and slow payments',
  async run(stage) {
    const { log } = stage
    await using fake = await startFakeStripe()
    await stage.quittance[Symbol.asyncDispose]()
    await using quittance = await startQuittance(stage.engines, { PAYMENT_PROVIDERS: 'stripe', STRIPE_API_URL: fake.url })
    const slow = await openStripeTenant(quittance, fake)
    fake.decideFaults(async () => ({ kind: 'timeout' }))
    await makeOrders(quittance)
    const orderIds = await makeLongOrders(quittance, { orders: warmUps + 2 * invoicesPerPhase, lines })
    for (const id of orderIds.splice(0, warmUps)) await generateInvoice(quittance, id)
    log('measuring without the other tenant')
    const quiet = await measure(quittance, orderIds.splice(0, invoicesPerPhase))
    log('measuring with the other tenant')
    await using hostile = await startHostileTenant(quittance)
    const running = keepConfirming(slow, { count: slowPayments, buildUpMs })
    await delay(buildUpMs)
    const hostilePhase = await measure(quittance, orderIds)
    await running.stop()
    const responses = Object.fromEntries([...hostile.responses].toSorted(([a], [b]) => a.localeCompare(b)))
    return {
      scenario: 'fairness',
      text: describe({ quiet, hostile: hostilePhase, responses }),
      figures: { quiet, hostile: hostilePhase, responses },
    }
  },
}

/** Reads at a fixed rate while invoices are generated one after the other. */
async function measure(quittance: Quittance, orderIds: readonly string[]): Promise<Phase> {
  const phase: Phase = { readMs: [], invoiceMs: [], errors: [] }
  const read = async () => {
    const started = performance.now()
    const { status } = await sendRequest(quittance, { method: 'GET', path: `/v1/orders/${orderIds[0]}` })
    phase.readMs.push(performance.now() - started)
    if (status !== 200) phase.errors.push(String(status))
  }
  const reads: Promise<void>[] = []
  const reading = (async () => {
    for (let count = 0; count < readsPerPhase; count++) {
      reads.push(read().catch((error: unknown) => void phase.errors.push(String(error))))
      await delay(readEveryMs)
    }
  })()
  for (const id of orderIds)
    phase.invoiceMs.push(await generateInvoice(quittance, id).catch((error: unknown) => (phase.errors.push(String(error)), Number.NaN)))
  await reading
  await Promise.all(reads)
  return phase
}

function describe({ quiet, hostile, responses }: { quiet: Phase; hostile: Phase; responses: Record<string, number> }): string {
  const ms = (value: number) => value.toFixed(1)
  const row = (name: string, { readMs, invoiceMs, errors }: Phase) => [
    name,
    ms(median(readMs)),
    ms(quantile(readMs, 0.99)),
    ms(median(invoiceMs)),
    ms(Math.max(...invoiceMs)),
    String(errors.length),
  ]
  const ratios = { read: median(hostile.readMs) / median(quiet.readMs), invoice: median(hostile.invoiceMs) / median(quiet.invoiceMs) }
  const isMet = ratios.read <= limit && ratios.invoice <= limit && hostile.errors.length === 0
  return [
    `fairness: ${readsPerPhase} reads of an order, ${invoicesPerPhase} invoices of ${lines} lines, with and without a hostile tenant`,
    '',
    ...table(
      ['phase', 'read p50 ms', 'read p99 ms', 'invoice p50 ms', 'invoice max ms', 'errors'],
      [row('quiet', quiet), row('hostile tenant', hostile)],
    ),
    '',
    `Read ${ratios.read.toFixed(2)} ×, invoice ${ratios.invoice.toFixed(2)} × the quiet system. At most ${limit} × is required: ${isMet ? 'met' : 'NOT MET'}.`,
    `Errors: ${[...new Set([...quiet.errors, ...hostile.errors])].join(', ') || 'none'}.`,
    `Responses to the hostile tenant: ${Object.entries(responses)
      .map(([key, count]) => `${key}: ${count}`)
      .join(', ')}.`,
  ].join('\n')
}
