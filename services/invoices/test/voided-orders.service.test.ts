import { correctInvoice, InvoiceNotCorrectable, listCreditNotes } from '@quittance/contracts/invoices'
import { orderVoided } from '@quittance/contracts/unpaid-invoices'
import { organizationCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { anUnpaidSource } from './invoice-source.ts'
import { keepBrowser, startInvoices, type TestInvoices } from './start-invoices.ts'

keepBrowser()

type Source = ReturnType<typeof anUnpaidSource>

/** Publishes that an order was voided. */
async function publishVoided(invoices: TestInvoices, { order_id, organization: { id: organization_id } }: Source): Promise<void> {
  const payload = { organization_id, order_id, voided_at: new Date().toISOString() }
  await invoices.emit(orderVoided, payload, { organizationId: organization_id, aggregateId: order_id })
}

function waitForCreditNotes(invoices: TestInvoices, { order_id, organization }: Source, count: number) {
  return eventually(async () => {
    const { items } = await invoices.call(listCreditNotes, { order_id: [order_id] }, organizationCaller(organization.id))
    expect(items.map(({ status }) => status)).toEqual(Array.from({ length: count }, () => 'generated'))
    return items
  })
}

test('the invoice of a voided order gets one credit note over all of it, offset against it', async () => {
  await using invoices = await startInvoices()
  const source = anUnpaidSource()
  const seller = organizationCaller(source.organization.id)
  await invoices.requestUnpaidInvoice(source)
  const { id, number } = await invoices.waitForStatus(source, 'generated')
  await publishVoided(invoices, source)
  const [creditNote] = await waitForCreditNotes(invoices, source, 1)
  expect(creditNote).toMatchObject({
    corrects_id: id,
    corrects_number: number,
    refund_id: null,
    reversed_by_id: null,
    net_amount: source.net_amount,
    tax_amount: source.tax_amount,
    total_amount: source.total_amount,
  })
  const [row] = await invoices.rows('select printed from invoices where id = $1', [creditNote?.id])
  expect(row).toMatchObject({ printed: { isOffset: true, isVoid: true, paidAt: null, refersTo: { number } } })
  // Another event of the same order, as one that is published again: nothing more is credited.
  await publishVoided(invoices, source)
  const next = anUnpaidSource()
  await invoices.requestUnpaidInvoice({ ...next, organization: source.organization })
  await invoices.waitForStatus(next, 'generated')
  await publishVoided(invoices, { ...next, organization: source.organization })
  await waitForCreditNotes(invoices, { ...next, organization: source.organization }, 1)
  await waitForCreditNotes(invoices, source, 1)
  await expect(invoices.call(correctInvoice, { id, billing_name: 'Ada' }, seller)).rejects.toThrow(InvoiceNotCorrectable)
})

test('the credit note of a voided order covers the replacement of a corrected invoice', async () => {
  await using invoices = await startInvoices()
  const source = anUnpaidSource()
  await invoices.requestUnpaidInvoice(source)
  const { id } = await invoices.waitForStatus(source, 'generated')
  const seller = organizationCaller(source.organization.id)
  const { replacement } = await invoices.call(correctInvoice, { id, billing_name: 'Ada Lovelace' }, seller)
  await publishVoided(invoices, source)
  const creditNotes = await waitForCreditNotes(invoices, source, 2)
  expect(creditNotes.map(({ corrects_id }) => corrects_id).toSorted()).toEqual([id, replacement.id].toSorted())
})

test('the event of an order without an invoice is parked, and handled once the invoice exists', async () => {
  await using invoices = await startInvoices()
  const source = anUnpaidSource()
  await publishVoided(invoices, source)
  await eventually(async () => expect(await invoices.rows('select consumer from parked_messages')).toHaveLength(1))
  await invoices.requestUnpaidInvoice(source)
  await waitForCreditNotes(invoices, source, 1)
})
