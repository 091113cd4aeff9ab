import { randomUUID } from 'node:crypto'
import { ResourceNotFound, type ApiError } from '@quittance/contracts/errors'
import { getCustomerOrderInvoice, getOrderInvoice } from '@quittance/contracts/invoices'
import type { InvoiceSource } from '@quittance/contracts/invoice-source'
import { customerCaller, organizationCaller, userCaller } from '@quittance/testing/callers'
import { expect, test } from 'vitest'
import { anInvoiceSource } from './invoice-source.ts'
import { keepBrowser, startInvoices, type TestInvoices } from './start-invoices.ts'

keepBrowser()

/** Errors that seller and buyer receive for an order without a document. */
async function getErrors(invoices: TestInvoices, { order_id: id, organization, customer_id }: InvoiceSource): Promise<ApiError[]> {
  const buyer = customerCaller({ organizationId: organization.id, customerId: customer_id })
  const results = await Promise.allSettled([
    invoices.call(getOrderInvoice, { id }, organizationCaller(organization.id)),
    invoices.call(getCustomerOrderInvoice, { id }, buyer),
  ])
  return results.map((result) => (result as PromiseRejectedResult).reason as ApiError)
}

test('returns 404 with Retry-After to both parties, also right after the request [5, 6]', async () => {
  await using invoices = await startInvoices()
  const source = { ...anInvoiceSource(), order_created_at: 'never' }
  for (const error of await getErrors(invoices, source)) {
    expect(error).toBeInstanceOf(ResourceNotFound)
    expect(error).toMatchObject({ message: expect.stringContaining('has not been generated'), retryAfterSeconds: 1 })
  }
  await invoices.requestInvoice(source)
  const { id } = await invoices.waitForStatus(source, 'requested')
  for (const error of await getErrors(invoices, source)) {
    expect(error).toBeInstanceOf(ResourceNotFound)
    expect(error.message).toContain('is being generated')
    expect(error.retryAfterSeconds).toBeGreaterThanOrEqual(1)
  }
  // An attempt in progress has lost its lease then, also one that is recording its failure.
  await invoices.rows(
    `update invoices set attempts = 6, leased_until = null, next_attempt_at = now() + interval '200 s', version = version + 1 where id = $1`,
    [id],
  )
  for (const { retryAfterSeconds } of await getErrors(invoices, source)) {
    expect(retryAfterSeconds).toBeGreaterThan(190)
    expect(retryAfterSeconds).toBeLessThanOrEqual(200)
  }
  await invoices.rows(`update invoices set status = 'failed', next_attempt_at = null where id = $1`, [id])
  for (const error of await getErrors(invoices, source)) {
    expect(error).toMatchObject({ status: 404, message: expect.stringContaining('could not be generated'), retryAfterSeconds: undefined })
  }
})

test('returns a link to the public address, signed for ten minutes at each call [18, 19]', async () => {
  await using invoices = await startInvoices()
  const source = anInvoiceSource()
  await invoices.requestInvoice(source)
  const { id } = await invoices.waitForStatus(source, 'generated')
  const link = await invoices.link(source)
  expect(link.origin + link.pathname).toBe(`${process.env['BASE_URL']}/v1/invoices/documents/${id}`)
  const seconds = Number(link.searchParams.get('expires')) - Date.now() / 1000
  expect(seconds).toBeGreaterThan(590)
  expect(seconds).toBeLessThanOrEqual(600)
})

test('returns invoices to members of the organization; to others the order has none [13]', async () => {
  await using invoices = await startInvoices()
  const source = anInvoiceSource()
  await invoices.requestInvoice(source)
  await invoices.waitForStatus(source, 'generated')
  const getAsMember = (organizationIds: string[]) =>
    invoices.call(getOrderInvoice, { id: source.order_id }, userCaller({ userId: randomUUID(), organizationIds }))
  await expect(getAsMember([randomUUID(), source.organization.id])).resolves.toHaveProperty('url')
  await expect(getAsMember([randomUUID()])).rejects.toThrow('has not been generated')
  await expect(invoices.call(getOrderInvoice, { id: source.order_id }, organizationCaller(randomUUID()))).rejects.toThrow(
    'has not been generated',
  )
})

test('returns a link to the buyer; to another customer the order has no invoice [14]', async () => {
  await using invoices = await startInvoices()
  const source = anInvoiceSource()
  await invoices.requestInvoice(source)
  await invoices.waitForStatus(source, 'generated')
  const buyer = { organizationId: source.organization.id, customerId: source.customer_id }
  const getAsCustomer = (who: typeof buyer) => invoices.call(getCustomerOrderInvoice, { id: source.order_id }, customerCaller(who))
  const { url } = await getAsCustomer(buyer)
  expect((await invoices.download(new URL(url))).status).toBe(200)
  await expect(getAsCustomer({ ...buyer, customerId: randomUUID() })).rejects.toThrow(ResourceNotFound)
  await expect(getAsCustomer({ ...buyer, organizationId: randomUUID() })).rejects.toThrow('has not been generated')
})

test('returns an invoice without customer in its snapshot to the seller only', async () => {
  await using invoices = await startInvoices()
  const { customer_id: customerId, ...before } = anInvoiceSource()
  await invoices.requestInvoice(before as InvoiceSource)
  await invoices.waitForStatus(before as InvoiceSource, 'generated')
  const buyer = customerCaller({ organizationId: before.organization.id, customerId })
  await expect(invoices.call(getCustomerOrderInvoice, { id: before.order_id }, buyer)).rejects.toThrow(ResourceNotFound)
  await expect(invoices.link(before as InvoiceSource)).resolves.toBeInstanceOf(URL)
})

test('returns to a checkout session the invoice of its order, none of the same customer’s others', async () => {
  await using invoices = await startInvoices()
  const source = { ...anInvoiceSource(), checkout_id: randomUUID() }
  const { organization, customer_id } = source
  const other = { ...anInvoiceSource(), organization, customer_id, checkout_id: randomUUID() }
  const { checkout_id: _, ...before } = { ...anInvoiceSource(), organization, customer_id, checkout_id: null }
  for (const each of [source, other, before]) {
    await invoices.requestInvoice(each)
    await invoices.waitForStatus(each, 'generated')
  }
  const buyer = customerCaller({ organizationId: organization.id, customerId: customer_id, checkoutId: source.checkout_id })
  expect(await invoices.call(getCustomerOrderInvoice, { id: source.order_id }, buyer)).toMatchObject({ url: expect.any(String) })
  for (const { order_id: id } of [other, before]) {
    await expect(invoices.call(getCustomerOrderInvoice, { id }, buyer)).rejects.toThrow(ResourceNotFound)
  }
})
