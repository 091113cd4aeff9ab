import { randomUUID } from 'node:crypto'
import { ResourceNotFound } from '@quittance/contracts/errors'
import { getOrderInvoice } from '@quittance/contracts/invoices'
import { organizationCaller, userCaller } from '@quittance/testing/callers'
import { expect, test } from 'vitest'
import { anInvoiceSource } from './invoice-source.ts'
import { startInvoices } from './start-invoices.ts'

test('an order without an invoice, and one whose invoice failed, answer 404 with a sentence', async () => {
  await using invoices = await startInvoices()
  const source = { ...anInvoiceSource(), order_created_at: 'never' }
  const caller = organizationCaller(source.organization.id)
  const asked = () => invoices.call(getOrderInvoice, { id: source.order_id }, caller)
  await expect(asked()).rejects.toThrow(ResourceNotFound)
  await expect(asked()).rejects.toThrow('has not been generated')
  await invoices.ask(source)
  await invoices.untilStatus(source, 'requested')
  await expect(asked()).rejects.toThrow('is being generated')
})

test('a generated invoice answers a link to the public address, signed anew for ten minutes', async () => {
  await using invoices = await startInvoices()
  const source = anInvoiceSource()
  await invoices.ask(source)
  const { id } = await invoices.untilStatus(source, 'generated')
  const link = await invoices.link(source)
  expect(link.origin + link.pathname).toBe(`${process.env['BASE_URL']}/v1/invoices/documents/${id}`)
  const seconds = Number(link.searchParams.get('expires')) - Date.now() / 1000
  expect(seconds).toBeGreaterThan(590)
  expect(seconds).toBeLessThanOrEqual(600)
})

test('members see the invoices of their organizations; to others the order has none', async () => {
  await using invoices = await startInvoices()
  const source = anInvoiceSource()
  await invoices.ask(source)
  await invoices.untilStatus(source, 'generated')
  const asked = (organizationIds: string[]) =>
    invoices.call(getOrderInvoice, { id: source.order_id }, userCaller({ userId: randomUUID(), organizationIds }))
  await expect(asked([randomUUID(), source.organization.id])).resolves.toHaveProperty('url')
  await expect(asked([randomUUID()])).rejects.toThrow('has not been generated')
  await expect(invoices.call(getOrderInvoice, { id: source.order_id }, organizationCaller(randomUUID()))).rejects.toThrow(
    'has not been generated',
  )
})
