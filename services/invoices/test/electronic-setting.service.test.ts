import { randomUUID } from 'node:crypto'
import { ResourceNotFound } from '@quittance/contracts/errors'
import { updateInvoiceSettings } from '@quittance/contracts/invoice-settings'
import { correctInvoice, getInvoice, getInvoiceUbl, InvoiceNotElectronic } from '@quittance/contracts/invoices'
import type { InvoiceSource } from '@quittance/contracts/invoice-source'
import { organizationCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { findViolatedRules } from './en16931/business-rules.ts'
import { readUbl } from './en16931/read-invoice.ts'
import { parseXml } from './en16931/xml-tree.ts'
import { anInvoiceSource } from './invoice-source.ts'
import { keepBrowser, startInvoices, type TestInvoices } from './start-invoices.ts'

keepBrowser()

const vat = { name: 'VAT', country: 'PL', state: null, percentage: 23, reverse_charge: false }

/** A sale with tax by rate and by line. */
function aTaxedSource(): InvoiceSource {
  const source = anInvoiceSource()
  const [first, second] = source.items
  const items = [
    { ...first, discount_amount: 12_990, tax_amount: 26_889 },
    { ...second, discount_amount: 4500, tax_amount: 9315 },
  ] as InvoiceSource['items']
  return { ...source, currency: 'eur', items, taxes: [{ ...vat, taxable_amount: 157_410, amount: 36_204 }] }
}

const seller = {
  electronic: true,
  legal_name: 'Northwind Analytics GmbH',
  address: { line1: 'Torstraße 1', city: 'Berlin', postal_code: '10119', country: 'DE' },
  tax_id: 'DE136695976',
}

async function issueInvoice(invoices: TestInvoices, source: InvoiceSource, settings: object) {
  const caller = organizationCaller(source.organization.id)
  await invoices.call(updateInvoiceSettings, settings, caller)
  await invoices.requestInvoice(source)
  const { id } = await invoices.waitForStatus(source, 'generated')
  return { caller, invoice: await invoices.call(getInvoice, { id }, caller) }
}

test('issues an electronic invoice if the seller wants one, and returns the same invoice as UBL', async () => {
  await using invoices = await startInvoices()
  const { caller, invoice } = await issueInvoice(invoices, aTaxedSource(), seller)
  expect(invoice).toMatchObject({ format: 'factur-x', not_electronic: [], total_amount: 193_614 })
  const bytes = Buffer.from(await (await invoices.download(new URL(invoice.url ?? ''))).arrayBuffer())
  expect(bytes.includes('factur-x.xml')).toBe(true)
  const { text, next } = await invoices.call(getInvoiceUbl, { id: invoice.id }, caller)
  expect(next).toBeNull()
  expect(readUbl(parseXml(text))).toMatchObject({ number: invoice.invoice_number, currency: 'EUR', totals: { gross: 193_614, payable: 0 } })
  expect(text).toContain('>1936.14</cbc:TaxInclusiveAmount>')
})

test('issues a plain PDF for a seller without address and tax ID, and reports what is missing', async () => {
  await using invoices = await startInvoices()
  const { caller, invoice } = await issueInvoice(invoices, aTaxedSource(), { electronic: true })
  expect(invoice.format).toBe('pdf')
  expect(invoice.not_electronic.join(' ')).toMatch(/address.*tax|tax.*address/i)
  const ubl = invoices.call(getInvoiceUbl, { id: invoice.id }, caller)
  await expect(ubl).rejects.toThrow(InvoiceNotElectronic)
  await expect(ubl).rejects.toThrow(invoice.not_electronic[0])
})

test('issues a plain document if the seller wants no other, and returns UBL to the seller only', async () => {
  await using invoices = await startInvoices()
  const { caller, invoice } = await issueInvoice(invoices, aTaxedSource(), { ...seller, electronic: false })
  expect(invoice).toMatchObject({ format: 'pdf', not_electronic: [] })
  expect((await invoices.call(getInvoiceUbl, { id: invoice.id }, caller)).text).toMatch(/^<\?xml/)
  const stranger = organizationCaller(randomUUID())
  await expect(invoices.call(getInvoiceUbl, { id: invoice.id }, stranger)).rejects.toThrow(ResourceNotFound)
})

test.each([
  ['still waits for its transfer', false],
  ['was paid since', true],
])('the amounts due of an invoice that %s, its credit note and its replacement add up to it', async (_, isPaid) => {
  await using invoices = await startInvoices()
  const { paid_at, ...order } = aTaxedSource()
  const caller = organizationCaller(order.organization.id)
  const transfer = {
    beneficiary: 'Northwind',
    iban: 'DE89370400440532013000',
    bic: null,
    reference: 'RF18539007547034',
    due_date: '2026-12-09',
    epc: null,
  }
  await invoices.call(updateInvoiceSettings, seller, caller)
  await invoices.requestUnpaidInvoice({ ...order, paid_at: null, transfer })
  const { id } = await invoices.waitForStatus(order, 'generated')
  if (isPaid) await invoices.requestInvoice({ ...order, paid_at })
  if (isPaid) await eventually(async () => expect(await invoices.rows('select from transfer_payments')).toHaveLength(1))
  const { credit_note, replacement } = await invoices.call(correctInvoice, { id, billing_name: 'Ada Lovelace' }, caller)
  const payable = async (documentId: string) => {
    const document = readUbl(parseXml((await invoices.call(getInvoiceUbl, { id: documentId }, caller)).text))
    expect(findViolatedRules(document)).toEqual([])
    return document.totals.payable
  }
  expect([await payable(id), await payable(credit_note.id), await payable(replacement.id)]).toEqual(
    isPaid ? [193_614, 0, 0] : [193_614, 193_614, 193_614],
  )
})
