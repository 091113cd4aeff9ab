import { randomUUID } from 'node:crypto'
import { ResourceNotFound, type ApiError } from '@quittance/contracts/errors'
import { getCustomerOrderInvoice, getOrderInvoice } from '@quittance/contracts/invoices'
import type { InvoiceSource } from '@quittance/contracts/orders'
import { customerCaller, organizationCaller, userCaller } from '@quittance/testing/callers'
import { expect, test } from 'vitest'
import { anInvoiceSource } from './invoice-source.ts'
import { startInvoices, type TestInvoices } from './start-invoices.ts'

/** What seller and buyer get for an order while it has no document. */
async function refusals(invoices: TestInvoices, { order_id: id, organization, customer_id }: InvoiceSource): Promise<ApiError[]> {
  const buyer = customerCaller({ organizationId: organization.id, customerId: customer_id })
  const asked = await Promise.allSettled([
    invoices.call(getOrderInvoice, { id }, organizationCaller(organization.id)),
    invoices.call(getCustomerOrderInvoice, { id }, buyer),
  ])
  return asked.map((answer) => (answer as PromiseRejectedResult).reason as ApiError)
}

test('before it was asked for an invoice is 404 with a sentence; while it is made also with when to come back, for seller and buyer (checklist 5, 6)', async () => {
  await using invoices = await startInvoices()
  const source = { ...anInvoiceSource(), order_created_at: 'never' }
  for (const refusal of await refusals(invoices, source)) {
    expect(refusal).toBeInstanceOf(ResourceNotFound)
    expect(refusal).toMatchObject({ message: expect.stringContaining('has not been generated'), retryAfterSeconds: undefined })
  }
  await invoices.ask(source)
  const { id } = await invoices.untilStatus(source, 'requested')
  for (const refusal of await refusals(invoices, source)) {
    expect(refusal).toBeInstanceOf(ResourceNotFound)
    expect(refusal.message).toContain('is being generated')
    expect(refusal.retryAfterSeconds).toBeGreaterThanOrEqual(1)
  }
  await invoices.rows(`update invoices set attempts = 6, next_attempt_at = now() + interval '200 s' where id = $1`, [id])
  for (const { retryAfterSeconds } of await refusals(invoices, source)) {
    expect(retryAfterSeconds).toBeGreaterThan(190)
    expect(retryAfterSeconds).toBeLessThanOrEqual(200)
  }
  await invoices.rows(`update invoices set status = 'failed', next_attempt_at = null where id = $1`, [id])
  for (const refusal of await refusals(invoices, source)) {
    expect(refusal).toMatchObject({ status: 404, message: expect.stringContaining('could not be generated'), retryAfterSeconds: undefined })
  }
})

test('a generated invoice answers a link to the public address, signed anew for ten minutes (checklist 18, 19)', async () => {
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

test('members see the invoices of their organizations; to others the order has none (checklist 13)', async () => {
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

test('the buyer gets a link to their own invoice; to another customer the order has none (checklist 14)', async () => {
  await using invoices = await startInvoices()
  const source = anInvoiceSource()
  await invoices.ask(source)
  await invoices.untilStatus(source, 'generated')
  const buyer = { organizationId: source.organization.id, customerId: source.customer_id }
  const asked = (who: typeof buyer) => invoices.call(getCustomerOrderInvoice, { id: source.order_id }, customerCaller(who))
  const { url } = await asked(buyer)
  expect((await invoices.download(new URL(url))).status).toBe(200)
  await expect(asked({ ...buyer, customerId: randomUUID() })).rejects.toThrow(ResourceNotFound)
  await expect(asked({ ...buyer, organizationId: randomUUID() })).rejects.toThrow('has not been generated')
})

test('an invoice from before the snapshot named the buyer is the seller’s to hand out', async () => {
  await using invoices = await startInvoices()
  const { customer_id: customerId, ...before } = anInvoiceSource()
  await invoices.ask(before as InvoiceSource)
  await invoices.untilStatus(before as InvoiceSource, 'generated')
  const buyer = customerCaller({ organizationId: before.organization.id, customerId })
  await expect(invoices.call(getCustomerOrderInvoice, { id: before.order_id }, buyer)).rejects.toThrow(ResourceNotFound)
  await expect(invoices.link(before as InvoiceSource)).resolves.toBeInstanceOf(URL)
})
