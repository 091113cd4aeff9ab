import { randomUUID } from 'node:crypto'
import { RequestValidationError, ResourceNotFound } from '@quittance/contracts/errors'
import {
  correctInvoice,
  getCreditNote,
  getInvoice,
  getOrderInvoice,
  InvoiceNotCorrectable,
  listCreditNotes,
  listInvoices,
  listInvoiceSeries,
} from '@quittance/contracts/invoices'
import type { InvoiceSource } from '@quittance/contracts/orders'
import { organizationCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { anInvoiceSource } from './invoice-source.ts'
import { startInvoices, type TestInvoices } from './start-invoices.ts'

const refund = (amount: number, tax_amount: number) => ({ id: randomUUID(), amount, tax_amount, created_at: '2026-11-19T10:00:00Z' })

/** Waits until so many credit notes of the organization are generated, oldest first. */
function creditNotes(invoices: TestInvoices, source: InvoiceSource, count: number) {
  return eventually(async () => {
    const seller = organizationCaller(source.organization.id)
    const { items } = await invoices.call(listCreditNotes, { order_id: source.order_id, sorting: 'issued_at' }, seller)
    expect(items.map(({ status }) => status)).toEqual(Array.from({ length: count }, () => 'generated'))
    return items
  })
}

async function theInvoice(invoices: TestInvoices, source: InvoiceSource) {
  const { id } = await invoices.untilStatus(source, 'generated')
  return invoices.call(getInvoice, { id }, organizationCaller(source.organization.id))
}

test('every refund has one credit note, whether it came before the invoice or after, and however often it is told (checklist 11, 46)', async () => {
  await using invoices = await startInvoices()
  const before = refund(57_410, 13_204)
  const source = { ...anInvoiceSource(), refunds: [before] }
  await invoices.ask(source)
  const later = { ...source, refunds: [before, refund(100_000, 23_000)] }
  await Promise.all([invoices.ask(later), invoices.ask(later), invoices.ask(source)])
  const [first, second] = await creditNotes(invoices, source, 2)
  const invoice = await theInvoice(invoices, source)
  const ofInvoice = { corrects_id: invoice.id, corrects_number: 'NORTHWIND-0001', order_id: source.order_id }
  expect(first).toMatchObject({ ...ofInvoice, refund_id: before.id, net_amount: 57_410, tax_amount: 13_204, total_amount: 70_614 })
  expect(second).toMatchObject({ ...ofInvoice, net_amount: 100_000, tax_amount: 23_000, total_amount: 123_000 })
  expect([first?.invoice_number, second?.invoice_number]).toEqual(['CN-NORTHWIN-0001', 'CN-NORTHWIN-0002'])
  expect(invoice).toMatchObject({
    total_amount: 193_614,
    credit_note_ids: [first?.id, second?.id],
    replaces_id: null,
    replaced_by_id: null,
  })
  await eventually(() => expect(invoices.said.filter(({ subject }) => subject === 'event.invoice.generated')).toHaveLength(1))
})

test('a credit note that was given up is tried again with its invoice when the order is heard of again', async () => {
  await using invoices = await startInvoices()
  const source = { ...anInvoiceSource(), order_created_at: 'never', refunds: [refund(157_410, 36_204)] }
  const kindsIn = (status: string) =>
    eventually(async () => {
      const rows = await invoices.rows<{ kind: string }>('select kind from invoices where status = $1 order by kind', [status])
      expect(rows.map(({ kind }) => kind)).toEqual(['credit_note', 'invoice'])
    })
  await invoices.ask(source)
  await kindsIn('requested')
  await invoices.rows(`update invoices set status = 'failed', next_attempt_at = null, leased_until = null`)
  await invoices.ask(source)
  await kindsIn('requested')
})

test('a credit note that was given up is tried again after hours without being asked for, an invoice is not', async () => {
  await using invoices = await startInvoices()
  const source = { ...anInvoiceSource(), order_created_at: 'never', refunds: [refund(7_410, 204), refund(50_000, 11_500)] }
  const numbersIn = async (status: string) => {
    const rows = await invoices.rows<{ number: string }>('select number from invoices where status = $1 order by number', [status])
    return rows.map(({ number }) => number)
  }
  await invoices.ask(source)
  await eventually(async () => expect(await numbersIn('requested')).toHaveLength(3))
  const [old = '', young = '', invoice = ''] = await numbersIn('requested')
  await invoices.rows(
    `update invoices set status = 'failed', next_attempt_at = null, leased_until = null, modified_at = now() - case number when $1 then 5 else 7 end * interval '1 hour'`,
    [young],
  )
  await invoices.restart()
  await eventually(async () => expect(await numbersIn('requested')).toEqual([old]))
  expect(await numbersIn('failed')).toEqual([young, invoice])
})

test('a credit note for all of an invoice repeats its lines, and its document is downloaded like an invoice', async () => {
  await using invoices = await startInvoices()
  const source = { ...anInvoiceSource(), refunds: [refund(157_410, 36_204)] }
  await invoices.ask(source)
  const [note] = await creditNotes(invoices, source, 1)
  expect(note).toMatchObject({ subtotal_amount: 174_900, discount_amount: 17_490, net_amount: 157_410, total_amount: 193_614 })
  const { url, sha256, size } = await invoices.call(getCreditNote, { id: note?.id ?? '' }, organizationCaller(source.organization.id))
  const response = await invoices.download(new URL(url ?? ''))
  expect(response.headers.get('content-disposition')).toContain(`Invoice-${note?.invoice_number}.pdf`)
  expect(response.headers.get('etag')).toContain(sha256 ?? '-')
  expect((await response.arrayBuffer()).byteLength).toBe(size)
})

test('a wrong invoice is taken back and replaced, each naming the other, and the first document stays (checklist 105)', async () => {
  await using invoices = await startInvoices()
  const source = { ...anInvoiceSource(), refunds: [refund(50_000, 11_500)] }
  const seller = organizationCaller(source.organization.id)
  await invoices.ask(source)
  await creditNotes(invoices, source, 1)
  const wrong = await theInvoice(invoices, source)
  const right = {
    billing_name: 'Zofia Łukasiewicz sp. z o.o.',
    billing_address: { country: 'PL', postal_code: '31-005', city: 'Kraków' },
    tax_id: null,
  }
  const { credit_note, replacement } = await invoices.call(correctInvoice, { id: wrong.id, ...right }, seller)
  expect(credit_note).toMatchObject({ corrects_id: wrong.id, refund_id: null, net_amount: 107_410, tax_amount: 24_704 })
  expect(replacement).toMatchObject({
    replaces_id: wrong.id,
    invoice_number: 'NORTHWIND-0002',
    total_amount: 193_614,
    ...{ billing_name: right.billing_name },
  })
  const notes = await creditNotes(invoices, source, 3)
  expect(notes.map(({ corrects_id, net_amount }) => [corrects_id, net_amount])).toEqual(
    expect.arrayContaining([
      [wrong.id, 50_000],
      [wrong.id, 107_410],
      [replacement.id, 50_000],
    ]),
  )
  const now = await invoices.call(getInvoice, { id: wrong.id }, seller)
  expect(now).toMatchObject({ sha256: wrong.sha256, replaced_by_id: replacement.id, billing_name: 'Zofia Łukasiewicz & Synowie' })
  expect((await invoices.download(new URL(now.url ?? ''))).status).toBe(200)
  await theInvoice(invoices, source)
  const { url } = await invoices.call(getOrderInvoice, { id: source.order_id }, seller)
  expect(url).toContain(replacement.id)
  const { items } = await invoices.call(listInvoices, { sorting: 'invoice_number' }, seller)
  expect(items.map(({ invoice_number, replaced_by_id }) => [invoice_number, replaced_by_id])).toEqual([
    ['NORTHWIND-0001', replacement.id],
    ['NORTHWIND-0002', null],
  ])
})

test('what is not generated, was replaced or was taken back as a whole cannot be corrected', async () => {
  await using invoices = await startInvoices()
  const source = anInvoiceSource()
  const seller = organizationCaller(source.organization.id)
  await invoices.ask(source)
  const { id } = await theInvoice(invoices, source)
  await expect(invoices.call(correctInvoice, { id }, organizationCaller(randomUUID()))).rejects.toThrow(ResourceNotFound)
  const unnamed = invoices.call(correctInvoice, { id, billing_name: ' ', billing_address: { country: 'Poland' } }, seller)
  await expect(unnamed).rejects.toThrow(RequestValidationError)
  await expect(unnamed).rejects.toThrow(/"billing_name".*"country"/)
  const unplaced = invoices.call(correctInvoice, { id, billing_address: { country: 'PL', city: 'Kraków' } }, seller)
  await expect(unplaced).rejects.toThrow(/"billing_address","postal_code"/)
  const both = await Promise.allSettled([1, 2].map((n) => invoices.call(correctInvoice, { id, billing_name: `Try ${n}` }, seller)))
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  await expect(invoices.call(correctInvoice, { id, billing_name: 'Again' }, seller)).rejects.toThrow(InvoiceNotCorrectable)
  const refunded = { ...anInvoiceSource(), organization: source.organization, refunds: [refund(157_410, 36_204)] }
  await invoices.ask(refunded)
  await creditNotes(invoices, refunded, 1)
  const whole = await theInvoice(invoices, refunded)
  await expect(invoices.call(correctInvoice, { id: whole.id }, seller)).rejects.toThrow('Nothing is left')
})

test('the audit of numbers shows each series without a gap, also after corrections, and only one’s own (checklist 47)', async () => {
  await using invoices = await startInvoices()
  const source = { ...anInvoiceSource(), refunds: [refund(1000, 230)] }
  const seller = organizationCaller(source.organization.id)
  await invoices.ask(source)
  const { id } = await theInvoice(invoices, source)
  await creditNotes(invoices, source, 1)
  await invoices.call(correctInvoice, { id, billing_name: 'Other' }, seller)
  const { items } = await invoices.call(listInvoiceSeries, {}, seller)
  const whole = { missing: [], organization_id: source.organization.id }
  expect(items).toEqual([
    { ...whole, kind: 'invoice', prefix: 'NORTHWIND-', first: 'NORTHWIND-0001', last: 'NORTHWIND-0002', count: 2 },
    { ...whole, kind: 'credit_note', prefix: 'CN-NORTHWIN-', first: 'CN-NORTHWIN-0001', last: 'CN-NORTHWIN-0003', count: 3 },
  ])
  expect((await invoices.call(listInvoiceSeries, {}, organizationCaller(randomUUID()))).items).toEqual([])
})
