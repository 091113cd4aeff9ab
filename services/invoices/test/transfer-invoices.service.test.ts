import type { UnpaidInvoiceSource } from '@quittance/contracts/unpaid-invoices'
import { correctInvoice } from '@quittance/contracts/invoices'
import { organizationCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { anUnpaidSource } from './invoice-source.ts'
import { extractPages } from './read-pdf.ts'
import { keepBrowser, startInvoices, type TestInvoices } from './start-invoices.ts'

keepBrowser()

async function readDocument(invoices: TestInvoices, source: UnpaidInvoiceSource): Promise<Uint8Array> {
  const response = await invoices.download(await invoices.link(source))
  expect(response.status).toBe(200)
  return new Uint8Array(await response.arrayBuffer())
}

test('the invoice of an unpaid order names what is due, when, and where to send it [payments 65]', async () => {
  await using invoices = await startInvoices()
  const source = anUnpaidSource()
  await invoices.requestUnpaidInvoice(source)
  await invoices.waitForStatus(source, 'generated')
  const text = (await extractPages(await readDocument(invoices, source))).join(' ')
  for (const part of ['Due on December 9, 2026', 'Amount due $1,936.14', 'DE89 3704 0044 0532 0130 00', 'RF18539007547034'])
    expect(text).toContain(part)
  expect(text).not.toContain('Paid on')
})

test('payment and refund of an invoiced order change no byte of its invoice, and get a credit note [payments 65]', async () => {
  await using invoices = await startInvoices()
  const source = anUnpaidSource()
  await invoices.requestUnpaidInvoice(source)
  await invoices.waitForStatus(source, 'generated')
  const before = await readDocument(invoices, source)
  const { transfer: _transfer, ...order } = source
  const refund = { id: crypto.randomUUID(), amount: 1_000, tax_amount: 0, created_at: '2026-11-20T10:00:00Z', reason: null }
  await invoices.requestInvoice({ ...order, paid_at: '2026-11-19T10:00:00Z', refunds: [refund] })
  await invoices.requestUnpaidInvoice(source)
  await eventually(async () => {
    const rows = await invoices.rows('select kind, status from invoices where order_id = $1 order by kind', [source.order_id])
    expect(rows).toEqual([
      { kind: 'credit_note', status: 'generated' },
      { kind: 'invoice', status: 'generated' },
    ])
  })
  expect(Buffer.from(await readDocument(invoices, source)).equals(before)).toBe(true)
})

/** Issues the invoice of an unpaid order, which is then paid. Returns the order as paid. */
async function payInvoiced(invoices: TestInvoices, unpaid: UnpaidInvoiceSource) {
  await invoices.requestUnpaidInvoice(unpaid)
  await invoices.waitForStatus(unpaid, 'generated')
  const { transfer: _transfer, ...order } = unpaid
  const paid = { ...order, paid_at: '2026-11-19T10:00:00Z', payment: null }
  await invoices.requestInvoice(paid)
  await eventually(async () =>
    expect(await invoices.rows('select order_id from transfer_payments')).toEqual([{ order_id: order.order_id }]),
  )
  return paid
}

test('the replacement of an invoice that was paid since asks for no money again', async () => {
  await using invoices = await startInvoices()
  const unpaid = anUnpaidSource()
  const seller = organizationCaller(unpaid.organization.id)
  await payInvoiced(invoices, unpaid)
  const { id } = await invoices.waitForStatus(unpaid, 'generated')
  const { replacement } = await invoices.call(correctInvoice, { id, billing_name: 'Ada Lovelace' }, seller)
  await eventually(async () => expect(await invoices.waitForStatus(unpaid, 'generated')).toMatchObject({ id: replacement.id }))
  const text = (await extractPages(await readDocument(invoices, unpaid))).join(' ')
  for (const part of ['Ada Lovelace', 'Paid on November 19, 2026', 'Amount due $0.00']) expect(text).toContain(part)
  for (const part of ['Due on', 'DE89 3704', 'RF18539007547034']) expect(text).not.toContain(part)
  // A further correction knows it too.
  const again = await invoices.call(correctInvoice, { id: replacement.id, billing_name: 'Grace Hopper' }, seller)
  const [row] = await invoices.rows<{ printed: object }>('select printed from invoices where id = $1', [again.replacement.id])
  expect(row?.printed).toMatchObject({ paidAt: expect.stringContaining('2026-11-19T10:00:00') })
  expect(row?.printed).not.toHaveProperty('transfer')
})

test('the replacement of an invoice that is still unpaid names what is due, when, and where to send it', async () => {
  await using invoices = await startInvoices()
  const unpaid = anUnpaidSource()
  await invoices.requestUnpaidInvoice(unpaid)
  const { id } = await invoices.waitForStatus(unpaid, 'generated')
  const corrected = await invoices.call(correctInvoice, { id, billing_name: 'Ada' }, organizationCaller(unpaid.organization.id))
  const [row] = await invoices.rows('select printed from invoices where id = $1', [corrected.replacement.id])
  expect(row).toMatchObject({ printed: { paidAt: null, transfer: { reference: 'RF18539007547034' } } })
})

test('the reversal of a credit note asks for no money that was paid before', async () => {
  await using invoices = await startInvoices()
  const unpaid = anUnpaidSource()
  const paid = await payInvoiced(invoices, unpaid)
  const refund = { id: crypto.randomUUID(), amount: 1_000, tax_amount: 0, created_at: '2026-11-20T10:00:00Z', reason: null }
  await invoices.requestInvoice({ ...paid, refunds: [refund] })
  await invoices.requestInvoice({ ...paid, reversed_refunds: [refund] })
  const [reversal] = await eventually(async () => {
    const rows = await invoices.rows<{ printed: object }>('select printed from invoices where reverses_id is not null')
    expect(rows).toHaveLength(1)
    return rows
  })
  expect(reversal?.printed).toMatchObject({ total: 1_000, paidAt: expect.stringContaining('2026-11-19T10:00:00') })
  expect(reversal?.printed).not.toHaveProperty('transfer')
})
