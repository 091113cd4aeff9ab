import { randomUUID } from 'node:crypto'
import { ResourceNotFound } from '@quittance/contracts/errors'
import { getCreditNote, getInvoice, listCreditNotes, listInvoices } from '@quittance/contracts/invoices'
import { organizationCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { anInvoiceSource } from './invoice-source.ts'
import { startInvoices } from './start-invoices.ts'

test('returns invoices and credit notes to their organization only, and neither as the other', async () => {
  await using invoices = await startInvoices()
  const refund = { id: randomUUID(), amount: 100, tax_amount: 23, created_at: '2026-11-19T10:00:00Z' }
  const source = { ...anInvoiceSource(), refunds: [refund] }
  const seller = organizationCaller(source.organization.id)
  await invoices.requestInvoice(source)
  const { id } = await invoices.waitForStatus(source, 'generated')
  const note = await eventually(async () => {
    const [found] = (await invoices.call(listCreditNotes, {}, seller)).items
    if (!found) throw new Error('no credit note yet')
    return found.id
  })
  expect(await invoices.call(getInvoice, { id }, seller)).toMatchObject({ credit_note_ids: [note] })
  expect(await invoices.call(getCreditNote, { id: note }, seller)).toMatchObject({ corrects_id: id })
  const stranger = organizationCaller(randomUUID())
  await expect(invoices.call(getInvoice, { id }, stranger)).rejects.toThrow(ResourceNotFound)
  await expect(invoices.call(getInvoice, { id: note }, seller)).rejects.toThrow(ResourceNotFound)
  await expect(invoices.call(getCreditNote, { id: note }, stranger)).rejects.toThrow(ResourceNotFound)
  await expect(invoices.call(getCreditNote, { id }, seller)).rejects.toThrow(ResourceNotFound)
  for (const list of [listInvoices, listCreditNotes]) expect((await invoices.call(list, {}, stranger)).items).toEqual([])
})
