/** Documents that refer to an earlier one agree with it, whatever the seller has changed in the settings since. */
import { randomUUID } from 'node:crypto'
import type { InvoiceSource } from '@quittance/contracts/invoice-source'
import { updateInvoiceSettings } from '@quittance/contracts/invoice-settings'
import { correctInvoice, getInvoiceUbl } from '@quittance/contracts/invoices'
import { organizationCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { anInvoiceSource } from './invoice-source.ts'
import { extractPages } from './read-pdf.ts'
import { keepBrowser, startInvoices, type TestInvoices } from './start-invoices.ts'

keepBrowser()

const settings = {
  legal_name: 'Northwind',
  tax_id: 'DE136695976',
  electronic: true,
  address: { line1: 'Torstraße 1', postal_code: '10119', city: 'Berlin', country: 'DE' },
}
const exemption = 'Small business, §19 UStG'

function anUntaxedSource(): InvoiceSource {
  const source = anInvoiceSource()
  const items = source.items.map((item, index) => ({ ...item, discount_amount: index * source.discount_amount, tax_position: 0 }))
  return { ...source, items, tax_amount: 0, total_amount: source.net_amount }
}

const aRefund = () => ({ id: randomUUID(), amount: 1_000, tax_amount: 0, created_at: new Date().toISOString() })

interface IssuedDocument {
  number: string
  issuedOn: string
  /** Number and date of the document that it refers to. */
  refersTo: { number: string; issuedOn: string } | null
  suppliedOn: string
  taxCategory: string
  text: string
}

/** Waits for so many documents and reads them as their recipient does: oldest first, credit notes before invoices. */
async function readDocuments(invoices: TestInvoices, { organization }: InvoiceSource, count: number): Promise<IssuedDocument[]> {
  const rows = await eventually(async () => {
    const issued = await invoices.rows<{ id: string; number: string; content: Buffer }>(
      `select i.id, i.number, d.content from invoices i join invoice_documents d on d.invoice_id = i.id
       where i.status = 'generated' order by i.requested_at, i.kind`,
    )
    expect(issued).toHaveLength(count)
    return issued
  })
  return Promise.all(
    rows.map(async ({ id, number, content }) => {
      const ubl = JSON.stringify(await invoices.call(getInvoiceUbl, { id }, organizationCaller(organization.id)))
      const reference = /<cac:BillingReference>.*?<cbc:ID>(.*?)<.*?<cbc:IssueDate>(.*?)</s.exec(ubl)
      const find = (pattern: RegExp) => pattern.exec(ubl)?.[1] ?? ''
      return {
        number,
        issuedOn: find(/<cbc:IssueDate>(.*?)</),
        refersTo: reference && { number: reference[1] ?? '', issuedOn: reference[2] ?? '' },
        suppliedOn: find(/<cbc:ActualDeliveryDate>(.*?)</),
        taxCategory: find(/<cac:TaxCategory>.*?<cbc:ID>(.*?)</s),
        text: (await extractPages(new Uint8Array(content))).join(' '),
      }
    }),
  )
}

test('keeps dates and tax exemption of the invoice in credit notes, replacements and reversals', async () => {
  await using invoices = await startInvoices()
  const source = anUntaxedSource()
  const seller = organizationCaller(source.organization.id)
  await invoices.call(updateInvoiceSettings, { ...settings, tax_exemption: exemption, time_zone: 'Pacific/Kiritimati' }, seller)
  await invoices.requestInvoice(source)
  const { id } = await invoices.waitForStatus(source, 'generated')
  // 25 hours apart: every instant has another date.
  await invoices.call(updateInvoiceSettings, { tax_exemption: null, time_zone: 'Pacific/Pago_Pago' }, seller)
  const [returned, kept] = [aRefund(), aRefund()]
  await invoices.requestInvoice({ ...source, refunds: [returned, kept] })
  await readDocuments(invoices, source, 3)
  await invoices.requestInvoice({ ...source, refunds: [kept], reversed_refunds: [returned] })
  await readDocuments(invoices, source, 4)
  await invoices.call(correctInvoice, { id, billing_name: 'Ada' }, seller)
  const documents = await readDocuments(invoices, source, 7)
  const issuedOn = new Map(documents.map((document) => [document.number, document.issuedOn]))
  expect(new Set(issuedOn.values()).size).toBeGreaterThan(1)
  for (const { refersTo } of documents.slice(1)) expect(refersTo?.issuedOn).toBe(issuedOn.get(refersTo?.number ?? ''))
  expect(documents.map(({ suppliedOn }) => suppliedOn)).toEqual(documents.map(() => '2026-11-19'))
  expect(documents.map(({ taxCategory }) => taxCategory)).toEqual(documents.map(() => 'E'))
  for (const { text, refersTo } of documents) {
    expect(text).toContain(exemption)
    expect(text).toContain('November 19, 2026')
    const date = refersTo && new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(refersTo.issuedOn))
    expect(text).toContain(refersTo ? `${refersTo.number} of ${date}` : 'Invoice')
  }
})

test('the replacement of an invoice that lacked the tax exemption has the one of the settings', async () => {
  await using invoices = await startInvoices()
  const source = anUntaxedSource()
  const seller = organizationCaller(source.organization.id)
  await invoices.call(updateInvoiceSettings, settings, seller)
  await invoices.requestInvoice(source)
  const { id } = await invoices.waitForStatus(source, 'generated')
  await invoices.call(updateInvoiceSettings, { tax_exemption: exemption }, seller)
  await invoices.call(correctInvoice, { id, billing_name: 'Ada' }, seller)
  const [invoice, creditNote, replacement] = await readDocuments(invoices, source, 3)
  expect([invoice, creditNote, replacement].map((document) => document?.taxCategory)).toEqual(['O', 'O', 'E'])
})
