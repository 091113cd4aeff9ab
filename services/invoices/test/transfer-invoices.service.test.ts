import type { UnpaidInvoiceSource } from '@quittance/contracts/unpaid-invoices'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { anInvoiceSource } from './invoice-source.ts'
import { extractPages } from './read-pdf.ts'
import { keepBrowser, startInvoices, type TestInvoices } from './start-invoices.ts'

keepBrowser()

function anUnpaidSource(): UnpaidInvoiceSource {
  const transfer = {
    ...{ beneficiary: 'Northwind Analytics', iban: 'DE89370400440532013000', bic: null, reference: 'RF18539007547034' },
    ...{ due_date: '2026-12-09', epc: null },
  }
  return { ...anInvoiceSource(), paid_at: null, transfer }
}

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
