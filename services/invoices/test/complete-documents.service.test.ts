import { randomUUID } from 'node:crypto'
import { listCustomerCreditNotes } from '@quittance/contracts/customer-credit-notes'
import { RequestValidationError } from '@quittance/contracts/errors'
import { getInvoiceSettings, invoiceSettingsUpdated, updateInvoiceSettings } from '@quittance/contracts/invoice-settings'
import {
  correctInvoice,
  getCreditNote,
  getOrderInvoice,
  InvoiceNotCorrectable,
  listCreditNotes,
  listInvoices,
} from '@quittance/contracts/invoices'
import type { InvoiceSource } from '@quittance/contracts/invoice-source'
import { customerCaller, organizationCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { anInvoiceSource } from './invoice-source.ts'
import { keepBrowser, startInvoices, type TestInvoices } from './start-invoices.ts'

keepBrowser()

const vat = { name: 'VAT', country: 'PL', state: null, percentage: 23, reverse_charge: false, taxable_amount: 157_410, amount: 36_204 }
const lines = [
  {
    label: 'Analytics Pro, yearly',
    amount: 129_900,
    discount_amount: 12_990,
    tax_amount: 26_889,
    proration: false,
    quantity: 1,
    tax_position: 1,
  },
  { label: 'Onboarding workshop', amount: 45_000, discount_amount: 4500, tax_amount: 9315, proration: false, quantity: 3, tax_position: 1 },
]

function aTaxedSource(changes: Partial<InvoiceSource> = {}): InvoiceSource {
  return { ...anInvoiceSource(), currency: 'eur', taxes: [vat], items: lines, ...changes }
}

async function issue(invoices: TestInvoices, source: InvoiceSource) {
  await invoices.requestInvoice(source)
  return invoices.waitForStatus(source, 'generated')
}

test.each([
  ['invalid tax ID', { tax_id: 'PL5260001247' }, /body\.tax_id/],
  ['tax ID of zeros', { tax_id: 'DE000000000' }, /body\.tax_id/],
  ['tax ID of another country', { tax_id: 'DE136695976' }, /another country/],
])('a correction takes no %s and issues nothing [documents 4]', async (_, correction, reason) => {
  await using invoices = await startInvoices()
  const source = aTaxedSource()
  const { id } = await issue(invoices, source)
  const corrected = invoices.call(correctInvoice, { id, ...correction }, organizationCaller(source.organization.id))
  await expect(corrected).rejects.toThrow(RequestValidationError)
  await expect(corrected).rejects.toThrow(reason)
  expect(await invoices.rows('select from invoices')).toHaveLength(1)
})

test('a correction charges the tax of no other place, and keeps the tax ID of who owes the tax [documents 3]', async () => {
  await using invoices = await startInvoices()
  const source = aTaxedSource({ tax_id: null })
  const seller = organizationCaller(source.organization.id)
  const { id } = await issue(invoices, source)
  const french = { billing_address: { country: 'FR', line1: '1 rue de Rivoli', city: 'Paris', postal_code: '75001' } }
  await expect(invoices.call(correctInvoice, { id, ...french }, seller)).rejects.toThrow(/billing_address\.country/)
  const reversed = { ...aTaxedSource({ organization: source.organization, tax_amount: 0, total_amount: 157_410 }) }
  const owed = await issue(invoices, {
    ...reversed,
    taxes: [{ ...vat, reverse_charge: true, amount: 0 }],
    items: lines.map((line) => ({ ...line, tax_amount: 0 })),
  })
  await expect(invoices.call(correctInvoice, { id: owed.id, tax_id: null }, seller)).rejects.toThrow(/body\.tax_id/)
  const stateless = { billing_address: { country: 'US', postal_code: '11205' } }
  await expect(invoices.call(correctInvoice, { id, ...stateless }, seller)).rejects.toThrow(/billing_address\.state/)
})

test('a seller’s VAT number with wrong check digits is rejected, another tax number is not [documents 4]', async () => {
  await using invoices = await startInvoices()
  const seller = organizationCaller(randomUUID())
  for (const tax_id of ['DE000000000', 'EL094259217', 'FR83404833049']) {
    await expect(invoices.call(updateInvoiceSettings, { tax_id }, seller)).rejects.toThrow(/body\.tax_id/)
  }
  for (const tax_id of ['DE136695976', '30/123/45678', 'FR83 404 833 048']) {
    expect(await invoices.call(updateInvoiceSettings, { tax_id }, seller)).toMatchObject({ tax_id })
  }
})

test('dates and the year of a number follow the time zone of the seller [documents 10]', async () => {
  await using invoices = await startInvoices()
  const source = aTaxedSource()
  const seller = organizationCaller(source.organization.id)
  for (const time_zone of ['Mars/Olympus', '+09:00']) {
    await expect(invoices.call(updateInvoiceSettings, { time_zone }, seller)).rejects.toThrow(/body\.time_zone/)
  }
  // Fourteen hours ahead of UTC: for most of 31 December it is the next year there.
  await invoices.call(updateInvoiceSettings, { time_zone: 'Pacific/Kiritimati', yearly: true, invoice_prefix: 'NWA' }, seller)
  const years = () => new Intl.DateTimeFormat('en', { timeZone: 'Pacific/Kiritimati', year: 'numeric' }).format(new Date())
  const before = years()
  const { number } = await issue(invoices, source)
  expect([before, years()].map((year) => `NWA-${year}-0001`)).toContain(number)
  expect(await invoices.rows(`select printed ->> 'timeZone' as zone from invoices`)).toEqual([{ zone: 'Pacific/Kiritimati' }])
})

test('warns of what the law of the seller’s country demands, and publishes it to orders [documents 11]', async () => {
  await using invoices = await startInvoices()
  const organizationId = randomUUID()
  const seller = organizationCaller(organizationId)
  expect((await invoices.call(getInvoiceSettings, {}, seller)).warnings).toEqual([expect.stringContaining('Your country is not known')])
  const bare = await invoices.call(updateInvoiceSettings, { address: { country: 'DE', city: 'Berlin' } }, seller)
  expect(bare.warnings).toEqual(['Invoices are not issued until these settings are complete: address.line1, tax_id.'])
  expect(await invoices.nextEvent(invoiceSettingsUpdated)).toEqual({
    organization_id: organizationId,
    missing: ['address.line1', 'tax_id'],
    missing_when_taxed: [],
  })
  const complete = { address: { country: 'DE', line1: 'Torstraße 1', city: 'Berlin' }, tax_id: 'DE136695976' }
  expect((await invoices.call(updateInvoiceSettings, complete, seller)).warnings).toEqual([])
  expect(await invoices.nextEvent(invoiceSettingsUpdated)).toMatchObject({ missing: [], missing_when_taxed: [] })
  expect(await invoices.call(getInvoiceSettings, {}, seller)).toMatchObject({ ...complete, warnings: [] })
  const british = { address: { country: 'GB', line1: '1 High St', city: 'London' }, tax_id: null }
  await invoices.call(updateInvoiceSettings, british, seller)
  expect(await invoices.nextEvent(invoiceSettingsUpdated)).toMatchObject({ missing: [], missing_when_taxed: ['tax_id'] })
})

test('a correction issues no replacement without what the law of the seller’s country demands [documents 11]', async () => {
  await using invoices = await startInvoices()
  const source = aTaxedSource()
  const seller = organizationCaller(source.organization.id)
  const { id } = await issue(invoices, source)
  const correct = () => invoices.call(correctInvoice, { id, billing_name: 'Other' }, seller)
  await invoices.call(updateInvoiceSettings, { address: { country: 'DE', line1: 'Torstraße 1' }, tax_id: 'DE136695976' }, seller)
  await expect(correct()).rejects.toThrow(InvoiceNotCorrectable)
  await expect(correct()).rejects.toThrow('Missing in the invoice settings: address.city.')
  await invoices.call(updateInvoiceSettings, { address: { country: 'GB', line1: '1 High St', city: 'London' }, tax_id: null }, seller)
  await expect(correct()).rejects.toThrow('Missing in the invoice settings: tax_id.')
  expect(await invoices.rows('select from invoices')).toHaveLength(1)
  await invoices.call(updateInvoiceSettings, { tax_id: 'GB123456789' }, seller)
  expect((await correct()).replacement).toMatchObject({ replaces_id: id, billing_name: 'Other' })
})

test('numbers sort by value and have at most sixteen characters; then another series begins [documents 15]', async () => {
  await using invoices = await startInvoices()
  const first = aTaxedSource()
  const { organization } = first
  const seller = organizationCaller(organization.id)
  await invoices.call(updateInvoiceSettings, { invoice_prefix: 'NWA' }, seller)
  await issue(invoices, first)
  const skipTo = (prefix: string, last: number) =>
    invoices.rows(`do $$ begin
      alter table document_series disable trigger user;
      update document_series set last_number = ${last} where prefix = '${prefix}';
      alter table document_series enable trigger user;
    end $$`)
  await skipTo('NWA-', 9998)
  await issue(invoices, aTaxedSource({ organization }))
  await issue(invoices, aTaxedSource({ organization }))
  const { items } = await invoices.call(listInvoices, { sorting: 'invoice_number' }, seller)
  expect(items.map(({ invoice_number }) => invoice_number)).toEqual(['NWA-0001', 'NWA-9999', 'NWA-10000'])
  await invoices.call(updateInvoiceSettings, { invoice_prefix: 'NORTHWINDAN' }, seller)
  expect((await issue(invoices, aTaxedSource({ organization }))).number).toBe('NORTHWINDAN-0001')
  await skipTo('NORTHWINDAN-', 9999)
  expect((await issue(invoices, aTaxedSource({ organization }))).number).toBe('INV2-NORTHW-0001')
})

test('numbers with a year and ten digits have at most sixteen characters, and continue their series [documents 15]', async () => {
  await using invoices = await startInvoices()
  const refunds = [1, 2].map(() => ({ id: randomUUID(), amount: 100, tax_amount: 23, created_at: '2026-11-19T10:00:00Z', reason: 'other' }))
  const source = aTaxedSource({ refunds })
  const { organization } = source
  const change = (settings: object) => invoices.call(updateInvoiceSettings, settings, organizationCaller(organization.id))
  await change({ yearly: true, padding: 10 })
  await issue(invoices, source)
  expect(await change({ legal_name: 'Northwind Ltd', padding: 10 })).toMatchObject({ legal_name: 'Northwind Ltd', padding: 10 })
  await expect(change({ invoice_prefix: 'NORTH' })).rejects.toThrow(/body\.invoice_prefix/)
  await issue(invoices, aTaxedSource({ organization }))
  const rows = await invoices.rows<{ number: string }>('select number from invoices order by number')
  const year = new Date().getUTCFullYear()
  expect(rows.map(({ number }) => number)).toEqual([
    `CN-${year}-00000001`,
    `CN-${year}-00000002`,
    `INV-${year}-0000001`,
    `INV-${year}-0000002`,
  ])
})

test('the first request after the 202 has Retry-After although the invoice has not arrived [documents 17]', async () => {
  await using invoices = await startInvoices()
  const seller = organizationCaller(randomUUID())
  await expect(invoices.call(getOrderInvoice, { id: randomUUID() }, seller)).rejects.toMatchObject({ status: 404, retryAfterSeconds: 1 })
})

test('a refund of an order with two rates is credited at both [documents 18]', async () => {
  await using invoices = await startInvoices()
  const rate = (percentage: number, taxable_amount: number, amount: number) => ({ ...vat, percentage, taxable_amount, amount })
  const item = (label: string, [amount = 0, tax_amount = 0]: readonly number[], tax_position: number) => ({
    label,
    amount,
    discount_amount: 0,
    tax_amount,
    proration: false,
    quantity: 1,
    tax_position,
  })
  const source = aTaxedSource({
    items: [item('Book', [10_000, 800], 1), item('Course', [30_000, 6900], 2)],
    taxes: [rate(8, 10_000, 800), rate(23, 30_000, 6900)],
    subtotal_amount: 40_000,
    discount_amount: 0,
    net_amount: 40_000,
    tax_amount: 7700,
    total_amount: 47_700,
    refunds: [{ id: randomUUID(), amount: 20_000, tax_amount: 3850, created_at: '2026-11-19T10:00:00Z', reason: 'customer_request' }],
  })
  await issue(invoices, source)
  const [printed] = await eventually(async () => {
    const rows = await invoices.rows<{ taxes: object[]; refund: object }>(
      `select printed -> 'taxes' as taxes, printed -> 'refund' as refund from invoices where kind = 'credit_note'`,
    )
    expect(rows).toHaveLength(1)
    return rows
  })
  expect(printed?.taxes).toMatchObject([
    { percentage: 8, taxable_amount: 5000, amount: 400 },
    { percentage: 23, taxable_amount: 15_000, amount: 3450 },
  ])
  expect(printed?.refund).toEqual({ reason: 'customer_request', refundedAt: '2026-11-19T10:00:00Z' })
  const seller = organizationCaller(source.organization.id)
  const { items } = await invoices.call(listCreditNotes, {}, seller)
  expect(await invoices.call(getCreditNote, { id: items[0]?.id ?? '' }, seller)).toMatchObject({ tax_amount: 3850 })
})

test('a buyer lists and downloads the credit notes of an order, others see none [documents 13]', async () => {
  await using invoices = await startInvoices()
  const refunds = [{ id: randomUUID(), amount: 100, tax_amount: 23, created_at: '2026-11-19T10:00:00Z', reason: 'other' }]
  const source = aTaxedSource({ refunds })
  await issue(invoices, source)
  const { order_id: id, customer_id: customerId, organization } = source
  const list = (who: { organizationId: string; customerId: string; checkoutId?: string }) =>
    invoices.call(listCustomerCreditNotes, { id }, customerCaller(who))
  const buyer = { organizationId: organization.id, customerId }
  const note = await eventually(async () => {
    const [found] = (await list(buyer)).items
    expect(found?.url).toEqual(expect.any(String))
    return found
  })
  expect(note).toMatchObject({ order_id: id, corrects_number: 'NORTHWIND-0001', currency: 'eur', total_amount: 123, is_reversed: false })
  const document = await invoices.download(new URL(note?.url ?? ''))
  expect([document.status, document.headers.get('content-type')]).toEqual([200, 'application/pdf'])
  expect(note).toMatchObject({ reversal_number: null, reversal_url: null })
  await invoices.requestInvoice({ ...source, refunds: [], reversed_refunds: refunds })
  const reversed = await eventually(async () => {
    const [found] = (await list(buyer)).items
    expect(found).toMatchObject({ is_reversed: true, reversal_number: 'NORTHWIND-0002', reversal_url: expect.any(String) })
    return found
  })
  expect((await invoices.download(new URL(reversed?.reversal_url ?? ''))).status).toBe(200)
  for (const other of [
    { ...buyer, customerId: randomUUID() },
    { ...buyer, organizationId: randomUUID() },
    { ...buyer, checkoutId: randomUUID() },
  ]) {
    expect((await list(other)).items).toEqual([])
  }
})
