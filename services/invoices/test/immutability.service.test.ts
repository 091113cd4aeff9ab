import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { anInvoiceSource } from './invoice-source.ts'
import { keepBrowser, startInvoices } from './start-invoices.ts'

keepBrowser()

const tampering = [
  `update invoice_documents set content = '\\x00', size = 1, sha256 = encode(sha256('\\x00'), 'hex')`,
  `update invoice_documents set created_at = now()`,
  `delete from invoice_documents`,
  `truncate invoice_documents`,
  `update invoices set number = 'NORTHWIND-0009'`,
  `update invoices set status = 'requested', generated_at = null, next_attempt_at = now()`,
  `update invoices set last_error = 'anything'`,
  `delete from invoices`,
  `truncate invoices cascade`,
  `update document_series set last_number = 7`,
  `update document_series set last_number = 0`,
  `update document_series set last_number = last_number + 1, prefix = 'OTHER'`,
  `delete from document_series`,
]

test('rejects every change of an issued document, even by the database owner [102, 103]', async () => {
  await using invoices = await startInvoices()
  const source = anInvoiceSource()
  await invoices.requestInvoice(source)
  await invoices.waitForStatus(source, 'generated')
  for (const sql of tampering) await expect(invoices.rows(sql)).rejects.toThrow(/permanent|violates check constraint/)
})

const permanentChanges = [
  `id = gen_random_uuid()`,
  `organization_id = gen_random_uuid()`,
  `order_id = gen_random_uuid()`,
  `number = 'NORTHWIND-0002'`,
  `source = '{}'`,
  `requested_at = now()`,
  `kind = 'credit_note'`,
  `series = 'OTHER-'`,
  `position = 2`,
  `printed = '{}'`,
  `corrects_id = gen_random_uuid()`,
  `replaces_id = gen_random_uuid()`,
  `refund_id = gen_random_uuid()`,
  `reverses_id = gen_random_uuid()`,
]

test('rejects changes of number, order, organization and content of an invoice not yet rendered', async () => {
  await using invoices = await startInvoices()
  const source = { ...anInvoiceSource(), order_created_at: 'never' }
  await invoices.requestInvoice(source)
  await invoices.waitForStatus(source, 'requested')
  for (const change of permanentChanges) {
    await expect(invoices.rows(`update invoices set last_error = 'anything', ${change}`)).rejects.toThrow('permanent')
  }
  await expect(invoices.rows(`update invoices set status = 'generated', generated_at = now(), next_attempt_at = null`)).rejects.toThrow(
    'has no document',
  )
})

test('uses a number and an order only once [42]', async () => {
  await using invoices = await startInvoices()
  const source = anInvoiceSource()
  await invoices.requestInvoice(source)
  const { number } = await invoices.waitForStatus(source, 'generated')
  const insert = `insert into invoices (id, created_at, organization_id, order_id, series, position, number, status, source, requested_at, next_attempt_at)
    values (gen_random_uuid(), now(), $1, $2, 'NORTHWIND-', $4, $3, 'requested', '{}', now(), now())`
  await expect(invoices.rows(insert, [source.organization.id, randomUUID(), number, 2])).rejects.toThrow('invoices_number_unique')
  const second = 'NORTHWIND-0002'
  await expect(invoices.rows(insert, [source.organization.id, randomUUID(), second, 1])).rejects.toThrow('invoices_position_unique')
  await expect(invoices.rows(insert, [source.organization.id, source.order_id, second, 2])).rejects.toThrow('invoices_first_of_order')
})
