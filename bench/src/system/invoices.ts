import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import type { Dispatcher } from 'undici'
import { sendRequest } from './api-request.ts'
import type { Quittance } from './quittance.ts'

/** Polling interval in milliseconds. */
export const pollMs = 10
const patienceMs = 60_000

/** Requests the invoice of an order; returns the milliseconds until the order shows that it is generated. */
export async function generateInvoice(quittance: Quittance, id: string): Promise<number> {
  const started = performance.now()
  await request(quittance, id)
  while (performance.now() - started < patienceMs) {
    const { body } = await sendRequest(quittance, { method: 'GET', path: `/v1/orders/${id}` })
    if (body?.['is_invoice_generated'] === true) return performance.now() - started
    await delay(pollMs)
  }
  throw new Error(`No invoice was generated within ${patienceMs / 1000} s.`)
}

/** Named, so that PostgreSQL does not plan it at every poll. */
const waiting = {
  name: 'waiting',
  text: 'select count(*)::int as count from orders where id = any ($1) and invoice_generated_at is null',
}

interface Options {
  /** Polling interval in milliseconds. */
  everyMs?: number
  dispatcher?: Dispatcher
}

/**
 * Requests the invoices of all orders at once; returns the milliseconds until the orders show that they are generated. Reads their table,
 * because repeated reads of an order of 5,000 lines would dominate the measurement.
 */
export async function generateInvoices(
  quittance: Quittance,
  orderIds: readonly string[],
  { everyMs = pollMs, ...sender }: Options = {},
): Promise<number> {
  const client = new Client({ connectionString: quittance.ordersDatabaseUrl })
  // If another batch fails, PostgreSQL stops under this connection, and that failure is the one to show.
  client.on('error', () => {})
  await client.connect()
  try {
    const started = performance.now()
    await Promise.all(orderIds.map((id) => request(quittance, id, sender)))
    for (;;) {
      const { rows } = await client.query<{ count: number }>(waiting, [orderIds])
      if (rows[0]?.count === 0) return performance.now() - started
      if (performance.now() - started > 5 * patienceMs)
        throw new Error(`${rows[0]?.count} invoices are missing after ${(5 * patienceMs) / 1000} s.`)
      await delay(everyMs)
    }
  } finally {
    await client.end()
  }
}

async function request(quittance: Quittance, orderId: string, sender: Pick<Options, 'dispatcher'> = {}): Promise<void> {
  const { status } = await sendRequest(quittance, { method: 'POST', path: `/v1/orders/${orderId}/invoice`, ...sender })
  if (status !== 202) throw new Error(`The request for an invoice returned status ${status}.`)
}

/** Downloads the document of an order by its link, as a buyer does. A flag without a document would be fast too. */
export async function download(quittance: Quittance, orderId: string): Promise<Uint8Array> {
  const { body } = await sendRequest(quittance, { method: 'GET', path: `/v1/orders/${orderId}/invoice` })
  const bytes = await (await fetch(String(body?.['url']))).bytes()
  if (Buffer.from(bytes.subarray(0, 5)).toString() !== '%PDF-') throw new Error('The download is not a PDF.')
  return bytes
}
