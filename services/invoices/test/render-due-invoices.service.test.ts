import { createHash, randomUUID } from 'node:crypto'
import { getInvoice, getOrderInvoice, invoiceGenerated } from '@quittance/contracts/invoices'
import type { InvoiceSource } from '@quittance/contracts/invoice-source'
import { bindValues, statement } from '@quittance/sql/statement'
import { organizationCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { extractText, getDocumentProxy } from 'unpdf'
import { expect, test } from 'vitest'
import { renewStatement } from '../src/invoices/render-due-invoices.ts'
import { browser } from '../src/rendering/browser-component.ts'
import { anInvoiceSource } from './invoice-source.ts'
import { aPrintedDocument } from './printed-documents.ts'
import { startInvoices, type TestInvoices } from './start-invoices.ts'

/** Takes seconds to render, so that a test can interfere. */
function aLongInvoiceSource() {
  return {
    ...anInvoiceSource(),
    items: Array.from({ length: 800 }, (_, index) => ({
      label: `Line ${index + 1}`,
      amount: 100,
      discount_amount: 0,
      tax_amount: 0,
      proration: false,
    })),
  }
}

/** Always fails in the template, because the time is invalid. */
function anUnrenderableSource() {
  return { ...anInvoiceSource(), order_created_at: 'never' }
}

const generated = (invoices: TestInvoices) => invoices.publishedEvents.filter(({ subject }) => subject === 'event.invoice.generated')

/** Waits until an attempt has started. A claim counts it. */
async function waitUntilStarted(invoices: TestInvoices, orderId: string): Promise<void> {
  await eventually(async () =>
    expect(await invoices.rows('select from invoices where order_id = $1 and attempts >= 1', [orderId])).toHaveLength(1),
  )
}

/** Skips all remaining attempts except the last. */
async function waitUntilFailed(invoices: TestInvoices, source: InvoiceSource) {
  await waitUntilStarted(invoices, source.order_id)
  const lastTry = `update invoices set attempts = 7, next_attempt_at = now() where status = 'requested' and leased_until is null returning id`
  await eventually(async () => expect(await invoices.rows(lastTry)).toHaveLength(1))
  return invoices.waitForStatus(source, 'failed')
}

test('stores the requested document with its hash and publishes one event [4, 21, 101]', async () => {
  await using invoices = await startInvoices()
  const source = anInvoiceSource()
  await invoices.requestInvoice(source)
  const event = await invoices.nextEvent(invoiceGenerated)
  const [document] = await invoices.rows<{ content: Buffer; sha256: string; size: number }>(
    'select * from invoice_documents where invoice_id = $1',
    [event.invoice_id],
  )
  const hash = createHash('sha256')
    .update(document?.content ?? '')
    .digest('hex')
  expect(event).toMatchObject({ order_id: source.order_id, number: 'NORTHWIND-0001', sha256: hash })
  expect(document).toMatchObject({ sha256: hash, size: document?.content.length })
  const { text } = await extractText(await getDocumentProxy(new Uint8Array(document?.content ?? [])), { mergePages: true })
  for (const part of ['NORTHWIND-0001', source.billing_name, 'Onboarding workshop', '$1,936.14']) expect(text).toContain(part)
  expect(generated(invoices)).toHaveLength(1)
})

test('delays an invoice that fails to render longer each time without blocking the next [117]', async () => {
  await using invoices = await startInvoices()
  const unrenderable = anUnrenderableSource()
  await invoices.requestInvoice(unrenderable)
  const next = { ...anInvoiceSource(), organization: unrenderable.organization }
  await invoices.requestInvoice(next)
  expect(await invoices.waitForStatus(next, 'generated')).toMatchObject({ number: 'NORTHWIND-0002' })
  await eventually(async () => {
    const [row] = await invoices.rows<{ attempts: number; last_error: string }>(
      'select attempts, last_error from invoices where order_id = $1',
      [unrenderable.order_id],
    )
    expect(row?.attempts).toBeGreaterThanOrEqual(2)
    expect(row?.last_error).toContain('RangeError')
  })
})

test('a lease renewal that arrives after its attempt has failed delays no further attempt', async () => {
  await using invoices = await startInvoices()
  const source = anUnrenderableSource()
  await invoices.requestInvoice(source)
  const postpone = `update invoices set next_attempt_at = now() + interval '1 hour'
    where order_id = $1 and leased_until is null and last_error is not null returning id, attempts`
  const [failed] = await eventually(async () => {
    const rows = await invoices.rows<{ id: string; attempts: number }>(postpone, [source.order_id])
    expect(rows).toHaveLength(1)
    return rows
  })
  const renewal = statement('renewal', renewStatement)
  await invoices.rows(renewal.text, bindValues(renewal, { ...failed, lease: 30_000 }))
  expect(await invoices.rows('select leased_until from invoices where id = $1', [failed?.id])).toEqual([{ leased_until: null }])
})

test('fails after the eighth attempt with a reason; a new request keeps the number [40, 113]', async () => {
  await using invoices = await startInvoices()
  const source = anUnrenderableSource()
  await invoices.requestInvoice(source)
  expect(await waitUntilFailed(invoices, source)).toMatchObject({ attempts: 8, last_error: expect.stringContaining('RangeError') })
  await invoices.requestInvoice(source)
  expect(await invoices.waitForStatus(source, 'requested')).toMatchObject({ number: 'NORTHWIND-0001' })
  expect(generated(invoices)).toHaveLength(0)
})

const rejectDocuments = `
  create function refuse_document() returns trigger language plpgsql as $$ begin raise exception 'There is no room for documents'; end $$;
  create trigger refuse_document before insert on invoice_documents for each row execute function refuse_document()`

test('shows the seller why storing failed, publishes no event, and retries on request [113]', async () => {
  await using invoices = await startInvoices()
  const source = anInvoiceSource()
  const seller = organizationCaller(source.organization.id)
  await invoices.rows(rejectDocuments)
  await invoices.requestInvoice(source)
  const { id } = await waitUntilFailed(invoices, source)
  const found = await invoices.call(getInvoice, { id }, seller)
  expect(found).toMatchObject({
    status: 'failed',
    sha256: null,
    url: null,
    failure_reason: expect.stringContaining('no room for documents'),
  })
  const request = invoices.call(getOrderInvoice, { id: source.order_id }, seller)
  await expect(request).rejects.toThrow('could not be generated')
  expect(generated(invoices)).toHaveLength(0)

  await invoices.rows('drop trigger refuse_document on invoice_documents')
  await invoices.requestInvoice(source)
  await invoices.nextEvent(invoiceGenerated)
  const made = await invoices.call(getInvoice, { id }, seller)
  expect(made).toMatchObject({ status: 'generated', invoice_number: 'NORTHWIND-0001', failure_reason: null })
  expect((await invoices.download(await invoices.link(source))).status).toBe(200)
  expect(generated(invoices)).toHaveLength(1)
})

test('repeats the attempt of a crashed replica after its lease expires [109]', async () => {
  await using invoices = await startInvoices()
  const source = anInvoiceSource()
  await invoices.rows(`insert into document_series values ($1, 'invoice', 'NORTHWIND-', 4, 1)`, [source.organization.id])
  await invoices.rows(
    `insert into invoices (id, created_at, organization_id, order_id, series, position, number, status, source, printed, requested_at, attempts, next_attempt_at, leased_until)
     values ($1, now(), $2, $3, 'NORTHWIND-', 1, 'NORTHWIND-0001', 'requested', $4, $5, now(), 1, now(), now() + interval '1 second')`,
    [randomUUID(), source.organization.id, source.order_id, source, aPrintedDocument()],
  )
  expect(await invoices.waitForStatus(source, 'generated')).toMatchObject({ attempts: 2 })
})

test('discards the result of an attempt that lost its lease', async () => {
  await using invoices = await startInvoices()
  const source = aLongInvoiceSource()
  await invoices.requestInvoice(source)
  await waitUntilStarted(invoices, source.order_id)
  await invoices.rows(`update invoices set attempts = attempts + 1, version = version + 1, leased_until = now() + interval '2 seconds'`)
  expect(await invoices.waitForStatus(source, 'generated')).toMatchObject({ attempts: 3 })
  await invoices.nextEvent(invoiceGenerated)
  expect(generated(invoices)).toHaveLength(1)
})

test('loses an attempt but not the invoice when the browser is killed [108]', async () => {
  await using invoices = await startInvoices()
  const source = aLongInvoiceSource()
  await invoices.requestInvoice(source)
  await waitUntilStarted(invoices, source.order_id)
  const leader = await browser.withPage('test', async (page) => page.browser().process()?.pid as number)
  process.kill(-leader, 'SIGKILL')
  expect(await invoices.waitForStatus(source, 'generated')).toMatchObject({ number: 'NORTHWIND-0001', attempts: 2 })
  await invoices.nextEvent(invoiceGenerated)
  expect(generated(invoices)).toHaveLength(1)
})

test('finishes the current document on shutdown and loses no waiting one [125]', async () => {
  await using invoices = await startInvoices()
  const sources = [aLongInvoiceSource(), aLongInvoiceSource(), anInvoiceSource(), anInvoiceSource()]
  for (const source of sources) await invoices.requestInvoice(source)
  await waitUntilStarted(invoices, (sources[0] as { order_id: string }).order_id)
  await invoices.restart()
  for (const source of sources) expect(await invoices.waitForStatus(source, 'generated')).toMatchObject({ attempts: 1 })
  await eventually(() => expect(generated(invoices)).toHaveLength(sources.length))
})
