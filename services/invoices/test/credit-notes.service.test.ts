import { randomUUID } from 'node:crypto'
import { creditNoteGenerated } from '@quittance/contracts/credit-note-events'
import { RequestValidationError, ResourceNotFound } from '@quittance/contracts/errors'
import {
  correctInvoice,
  creditNoteReversed,
  getCreditNote,
  getInvoice,
  getOrderInvoice,
  InvoiceNotCorrectable,
  listCreditNotes,
  listInvoices,
  listInvoiceSeries,
} from '@quittance/contracts/invoices'
import type { InvoiceSource } from '@quittance/contracts/invoice-source'
import { updateInvoiceSettings } from '@quittance/contracts/invoice-settings'
import { organizationCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { anInvoiceSource } from './invoice-source.ts'
import { keepBrowser, startInvoices, type TestInvoices } from './start-invoices.ts'

keepBrowser()

const refund = (amount: number, tax_amount: number) => ({ id: randomUUID(), amount, tax_amount, created_at: '2026-11-19T10:00:00Z' })

/** Waits until this number of credit notes of the organization is generated; returns them, oldest first. */
function creditNotes(invoices: TestInvoices, source: InvoiceSource, count: number) {
  return eventually(async () => {
    const seller = organizationCaller(source.organization.id)
    const { items } = await invoices.call(listCreditNotes, { order_id: source.order_id, sorting: 'issued_at' }, seller)
    expect(items.map(({ status }) => status)).toEqual(Array.from({ length: count }, () => 'generated'))
    return items
  })
}

async function theInvoice(invoices: TestInvoices, source: InvoiceSource) {
  const { id } = await invoices.waitForStatus(source, 'generated')
  return invoices.call(getInvoice, { id }, organizationCaller(source.organization.id))
}

test('issues exactly one credit note per refund, before or after the invoice [11, 46]', async () => {
  await using invoices = await startInvoices()
  const before = refund(57_410, 13_204)
  const source = { ...anInvoiceSource(), refunds: [before] }
  await invoices.requestInvoice(source)
  const later = { ...source, refunds: [before, refund(100_000, 23_000)] }
  await Promise.all([invoices.requestInvoice(later), invoices.requestInvoice(later), invoices.requestInvoice(source)])
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
  await eventually(() => expect(invoices.publishedEvents.filter(({ subject }) => subject === 'event.invoice.generated')).toHaveLength(1))
})

test('the credit note of a refund goes to the address that the buyer has by then', async () => {
  await using invoices = await startInvoices()
  const source = anInvoiceSource()
  await invoices.requestInvoice(source)
  await invoices.waitForStatus(source, 'generated')
  const customer_email = 'zofia@moved.example'
  await invoices.requestInvoice({ ...source, customer_email, refunds: [refund(57_410, 13_204)] })
  const { delivery } = await invoices.nextEvent(creditNoteGenerated)
  expect(delivery).toMatchObject({ recipient: customer_email, customer_id: source.customer_id })
  const rows = await invoices.rows(`select printed -> 'buyer' as buyer from invoices order by kind desc`)
  const [invoiced, credited] = rows as { buyer: object }[]
  expect(credited).toEqual({ buyer: { ...invoiced?.buyer, email: customer_email } })
})

test('the documents of a correction go to the address to which the last credit note went', async () => {
  await using invoices = await startInvoices()
  const source = anInvoiceSource()
  await invoices.requestInvoice(source)
  const { id } = await theInvoice(invoices, source)
  const customer_email = 'zofia@moved.example'
  await invoices.requestInvoice({ ...source, customer_email, refunds: [refund(57_410, 13_204)] })
  await creditNotes(invoices, source, 1)
  await invoices.call(correctInvoice, { id, billing_name: 'Other' }, organizationCaller(source.organization.id))
  const rows = await invoices.rows(`select kind, printed #>> '{buyer,email}' as email from invoices where id <> $1 order by kind`, [id])
  expect(rows).toEqual(['credit_note', 'credit_note', 'credit_note', 'invoice'].map((kind) => ({ kind, email: customer_email })))
})

test('retries a failed credit note and its invoice when the order is requested again', async () => {
  await using invoices = await startInvoices()
  const source = { ...anInvoiceSource(), order_created_at: 'never', refunds: [refund(157_410, 36_204)] }
  const kindsIn = (status: string) =>
    eventually(async () => {
      const rows = await invoices.rows<{ kind: string }>('select kind from invoices where status = $1 order by kind', [status])
      expect(rows.map(({ kind }) => kind)).toEqual(['credit_note', 'invoice'])
    })
  await invoices.requestInvoice(source)
  await kindsIn('requested')
  await invoices.rows(`update invoices set status = 'failed', next_attempt_at = null, leased_until = null, version = version + 1`)
  await invoices.requestInvoice(source)
  await kindsIn('requested')
})

test('retries a failed invoice or credit note after six hours without a request [113]', async () => {
  await using invoices = await startInvoices()
  const source = { ...anInvoiceSource(), order_created_at: 'never', refunds: [refund(7_410, 204), refund(50_000, 11_500)] }
  const numbersIn = async (status: string) => {
    const rows = await invoices.rows<{ number: string }>('select number from invoices where status = $1 order by number', [status])
    return rows.map(({ number }) => number)
  }
  await invoices.requestInvoice(source)
  await eventually(async () => expect(await numbersIn('requested')).toHaveLength(3))
  const [old = '', young = '', invoice = ''] = await numbersIn('requested')
  await invoices.rows(
    `update invoices set status = 'failed', next_attempt_at = null, leased_until = null, version = version + 1,
       modified_at = now() - case number when $1 then 5 else 7 end * interval '1 hour'`,
    [young],
  )
  await invoices.restart()
  await eventually(async () => expect(await numbersIn('requested')).toEqual([old, invoice]))
  expect(await numbersIn('failed')).toEqual([young])
})

test('repeats the invoice lines on a full credit note, and serves its document like an invoice', async () => {
  await using invoices = await startInvoices()
  const source = { ...anInvoiceSource(), refunds: [refund(157_410, 36_204)] }
  await invoices.requestInvoice(source)
  const [note] = await creditNotes(invoices, source, 1)
  expect(note).toMatchObject({ subtotal_amount: 174_900, discount_amount: 17_490, net_amount: 157_410, total_amount: 193_614 })
  const { url, sha256, size } = await invoices.call(getCreditNote, { id: note?.id ?? '' }, organizationCaller(source.organization.id))
  const response = await invoices.download(new URL(url ?? ''))
  expect(response.headers.get('content-disposition')).toContain(`Credit-note-${note?.invoice_number}.pdf`)
  expect(response.headers.get('etag')).toContain(sha256 ?? '-')
  expect((await response.arrayBuffer()).byteLength).toBe(size)
})

test('credits and replaces a wrong invoice with cross-references; its document stays [105]', async () => {
  await using invoices = await startInvoices()
  const source = { ...anInvoiceSource(), refunds: [refund(50_000, 11_500)] }
  const seller = organizationCaller(source.organization.id)
  await invoices.requestInvoice(source)
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
    billing_name: right.billing_name,
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

test('rejects the correction of an invoice that is not generated, replaced or fully credited', async () => {
  await using invoices = await startInvoices()
  const source = anInvoiceSource()
  const seller = organizationCaller(source.organization.id)
  await invoices.requestInvoice(source)
  const { id } = await theInvoice(invoices, source)
  await expect(invoices.call(correctInvoice, { id }, organizationCaller(randomUUID()))).rejects.toThrow(ResourceNotFound)
  const unnamed = invoices.call(correctInvoice, { id, billing_name: ' ', billing_address: { country: 'Poland' } }, seller)
  await expect(unnamed).rejects.toThrow(RequestValidationError)
  await expect(unnamed).rejects.toThrow(/billing_name.*country/)
  const unplaced = invoices.call(correctInvoice, { id, billing_address: { country: 'PL', city: 'Kraków' } }, seller)
  await expect(unplaced).rejects.toThrow(/billing_address\.postal_code/)
  const both = await Promise.allSettled([1, 2].map((n) => invoices.call(correctInvoice, { id, billing_name: `Try ${n}` }, seller)))
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  await expect(invoices.call(correctInvoice, { id, billing_name: 'Again' }, seller)).rejects.toThrow(InvoiceNotCorrectable)
  const refunded = { ...anInvoiceSource(), organization: source.organization, refunds: [refund(157_410, 36_204)] }
  await invoices.requestInvoice(refunded)
  await creditNotes(invoices, refunded, 1)
  const whole = await theInvoice(invoices, refunded)
  await expect(invoices.call(correctInvoice, { id: whole.id }, seller)).rejects.toThrow('Nothing is left')
})

test('lists each series without gaps after corrections, to its organization only [47]', async () => {
  await using invoices = await startInvoices()
  const source = { ...anInvoiceSource(), refunds: [refund(1000, 230)] }
  const seller = organizationCaller(source.organization.id)
  await invoices.requestInvoice(source)
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

test('issues credit notes in another series if invoices of an earlier release have taken theirs', async () => {
  await using invoices = await startInvoices()
  const [first, source] = [anInvoiceSource(), { ...anInvoiceSource(), refunds: [refund(1000, 230), refund(2000, 460)] }]
  source.organization = first.organization
  const seller = organizationCaller(first.organization.id)
  await invoices.call(updateInvoiceSettings, { invoice_prefix: 'OLD' }, seller)
  await invoices.rows(`update invoice_settings set invoice_prefix = 'CN-NORTHWIN'`)
  await invoices.requestInvoice(first)
  expect(await invoices.waitForStatus(first, 'generated')).toMatchObject({ number: 'CN-NORTHWIN-0001' })
  await invoices.call(updateInvoiceSettings, { invoice_prefix: 'NORTHWIND' }, seller)
  await invoices.requestInvoice(source)
  const notes = await creditNotes(invoices, source, 2)
  expect(notes.map(({ invoice_number }) => invoice_number).toSorted()).toEqual(['CN2-NORTHWI-0001', 'CN2-NORTHWI-0002'])
  const { items } = await invoices.call(listInvoiceSeries, {}, seller)
  expect(items.map(({ prefix, count, missing }) => [prefix, count, missing])).toEqual([
    ['CN-NORTHWIN-', 1, []],
    ['NORTHWIND-', 1, []],
    ['CN2-NORTHWI-', 2, []],
  ])
})

test('issues the first invoice of a seller whose credit notes have the prefix of the slug', async () => {
  await using invoices = await startInvoices()
  const source = { ...anInvoiceSource(), refunds: [refund(1000, 230)] }
  await invoices.call(updateInvoiceSettings, { credit_note_prefix: 'NORTHWIND' }, organizationCaller(source.organization.id))
  await invoices.requestInvoice(source)
  expect(await invoices.waitForStatus(source, 'generated')).toMatchObject({ number: 'INV-NORTHWI-0001' })
  const [note] = await creditNotes(invoices, source, 1)
  expect(note?.invoice_number).toBe('NORTHWIND-0001')
})

/** The source after this refund was returned: it counts as paid again. */
function returned(source: InvoiceSource, id: string): InvoiceSource {
  const isReturned = (refund: { id: string }) => refund.id === id
  return {
    ...source,
    refunds: source.refunds.filter((each) => !isReturned(each)),
    reversed_refunds: [...(source.reversed_refunds ?? []), ...source.refunds.filter(isReturned)],
  }
}

test('three refunds that are returned leave three reversed credit notes, and a correction credits the invoice once', async () => {
  await using invoices = await startInvoices()
  const source = anInvoiceSource()
  const seller = organizationCaller(source.organization.id)
  await invoices.requestInvoice(source)
  const { id } = await theInvoice(invoices, source)
  for (const count of [1, 2, 3]) {
    const whole = refund(157_410, 36_204)
    source.refunds = [whole]
    await invoices.requestInvoice(source)
    Object.assign(source, returned(source, whole.id))
    await Promise.all([invoices.requestInvoice(source), invoices.requestInvoice(source)])
    const notes = await creditNotes(invoices, source, count)
    await eventually(async () => {
      const { items } = await invoices.call(listInvoices, { sorting: 'issued_at' }, seller)
      expect(items.map(({ reverses_id }) => reverses_id)).toEqual([null, ...notes.map((note) => note.id)])
      expect(items.every(({ status, total_amount }) => status === 'generated' && total_amount === 193_614)).toBe(true)
    })
  }
  const notes = await creditNotes(invoices, source, 3)
  const { items: documents } = await invoices.call(listInvoices, { sorting: 'issued_at' }, seller)
  expect(notes.map(({ reversed_by_id }) => reversed_by_id)).toEqual(documents.slice(1).map((document) => document.id))
  const event = await invoices.nextEvent(creditNoteReversed)
  expect(event).toMatchObject({ invoice_id: id, credit_note_id: notes[0]?.id, reversal_id: documents[1]?.id, total_amount: 193_614 })
  await expect(invoices.call(correctInvoice, { id: documents[1]?.id ?? '' }, seller)).rejects.toThrow(InvoiceNotCorrectable)
  const { credit_note, replacement } = await invoices.call(correctInvoice, { id, billing_name: 'Other' }, seller)
  expect(credit_note).toMatchObject({ corrects_id: id, net_amount: 157_410, tax_amount: 36_204, reversed_by_id: null })
  expect(replacement).toMatchObject({ total_amount: 193_614, reverses_id: null })
  // What remains invoiced: five invoices less four credit notes.
  expect((await invoices.call(listInvoices, {}, seller)).items).toHaveLength(5)
  expect((await invoices.call(listCreditNotes, {}, seller)).items).toHaveLength(4)
  const { url } = await invoices.call(getOrderInvoice, { id: source.order_id }, seller)
  expect([id, replacement.id].some((each) => url.includes(each))).toBe(true)
})

test('an event older than the return of its refund issues no credit note', async () => {
  await using invoices = await startInvoices()
  const whole = refund(157_410, 36_204)
  const before = { ...anInvoiceSource(), refunds: [whole] }
  await invoices.requestInvoice(returned(before, whole.id))
  await invoices.requestInvoice(before)
  const part = refund(1000, 230)
  const later = { ...returned(before, whole.id), refunds: [part] }
  await invoices.requestInvoice(later)
  const [note] = await creditNotes(invoices, later, 1)
  expect(note).toMatchObject({ refund_id: part.id, net_amount: 1000 })
})

test('after a correction, only the credit note of the replacement is reversed', async () => {
  await using invoices = await startInvoices()
  const part = refund(50_000, 11_500)
  const source = { ...anInvoiceSource(), refunds: [part] }
  const seller = organizationCaller(source.organization.id)
  await invoices.requestInvoice(source)
  const { id } = await theInvoice(invoices, source)
  await creditNotes(invoices, source, 1)
  const { replacement } = await invoices.call(correctInvoice, { id, billing_name: 'Other' }, seller)
  await invoices.requestInvoice(returned(source, part.id))
  const reversal = await eventually(async () => {
    const { items } = await invoices.call(listInvoices, {}, seller)
    const found = items.find(({ reverses_id }) => reverses_id)
    expect(found).toMatchObject({ net_amount: 50_000, tax_amount: 11_500 })
    return found
  })
  const notes = await creditNotes(invoices, source, 3)
  const reversed = notes.filter(({ reversed_by_id }) => reversed_by_id)
  expect(reversed).toMatchObject([{ corrects_id: replacement.id, reversed_by_id: reversal?.id }])
})

test('a correction and the return of a refund at once leave documents that add up to what is paid', async () => {
  await using invoices = await startInvoices()
  const part = refund(50_000, 11_500)
  const source = { ...anInvoiceSource(), refunds: [part] }
  const seller = organizationCaller(source.organization.id)
  await invoices.requestInvoice(source)
  await creditNotes(invoices, source, 1)
  const { id } = await theInvoice(invoices, source)
  const waiting = (count: number) =>
    eventually(async () => {
      const locks = `select from pg_locks where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`
      expect(await invoices.rows(locks)).toHaveLength(count)
    })
  // Both have begun when the first of them can allocate its number.
  const name = `invoice settings ${source.organization.id}`
  const release = await invoices.holdTransaction(`select pg_advisory_xact_lock(hashtextextended('${name}', 0))`)
  await invoices.requestInvoice(returned(source, part.id))
  await waiting(1)
  const corrected = invoices.call(correctInvoice, { id, billing_name: 'Other' }, seller)
  await waiting(2)
  await release()
  const { credit_note, replacement } = await corrected
  expect(credit_note).toMatchObject({ corrects_id: id, total_amount: 193_614 })
  const [sum] = await invoices.rows(`select sum((printed ->> 'total')::int * case kind when 'invoice' then 1 else -1 end)::int as invoiced,
    count(*) filter (where reverses_id is not null)::int as reversals from invoices`)
  expect(sum).toEqual({ invoiced: replacement.total_amount, reversals: 1 })
})

test('the database rejects credit notes beyond their invoice and reversals that differ from theirs', async () => {
  await using invoices = await startInvoices()
  const source = { ...anInvoiceSource(), refunds: [refund(157_410, 36_204)] }
  await invoices.requestInvoice(source)
  await creditNotes(invoices, source, 1)
  const copied = 'created_at, organization_id, order_id, source, requested_at, not_electronic, series'
  const changed = `id, number, position, status, next_attempt_at, kind, corrects_id, refund_id, reverses_id, printed`
  const copy = (values: string) => `insert into invoices (${copied}, ${changed})
    select ${copied}, gen_random_uuid(), series || '9', 9, 'requested', now(), ${values}, '{"net":1,"tax":0,"total":1}'
    from invoices where kind = 'credit_note'`
  await invoices.rows(`update document_series set last_number = last_number + 1`)
  const oneMore = invoices.rows(copy(`'credit_note', corrects_id, gen_random_uuid(), null`))
  await expect(oneMore).rejects.toThrow(/exceed invoice/)
  const another = copy(`'invoice', null, null, id`)
  await expect(invoices.rows(another)).rejects.toThrow(/does not reverse a credit note/)
})
