import { createHash } from 'node:crypto'
import { eventually } from '@quittance/testing/eventually'
import { startEndpointSink } from '@quittance/testing/endpoint-sink'
import { startSystem } from '@quittance/testing/system'
import { Webhook } from 'standardwebhooks'
import { extractText } from 'unpdf'
import { expect, test } from 'vitest'
import { waitUntilIdle } from '../wait-until-idle.ts'
import { buyer, sell, subscribe, waitUntilPaid } from '../sale.ts'

test('a sale creates an order, signed and ordered events, and a permanent invoice', async () => {
  await using system = await startSystem()
  await using sink = await startEndpointSink()
  const { api } = system
  await waitUntilIdle(system)
  const endpoint = await subscribe(system, sink)
  expect(endpoint.secret).toMatch(/^whsec_/)

  const id = await sell(system)
  await waitUntilPaid(system, id)
  const findEvents = () => sink.received.map(({ body }) => JSON.parse(body)).filter(({ data }) => data.id === id)
  await eventually(() => expect(findEvents()).toHaveLength(3))
  expect(findEvents().map(({ type }) => type)).toEqual(['order.created', 'order.updated', 'order.paid'])
  expect(findEvents().map(({ data }) => data.status)).toEqual(['pending', 'paid', 'paid'])
  for (const { body, headers } of sink.received) {
    expect(new Webhook(endpoint.secret).verify(body, headers as Record<string, string>)).toMatchObject({ data: { id } })
  }

  expect(await api('GET', `/v1/orders/${id}/invoice`)).toMatchObject({ status: 404, body: { error: 'ResourceNotFound' } })
  expect(await api('POST', `/v1/orders/${id}/invoice`)).toMatchObject({ status: 422, body: { error: 'MissingInvoiceBillingDetails' } })
  expect(await api('PATCH', `/v1/orders/${id}`, buyer)).toMatchObject({ status: 200, body: { billing_name: 'Ada Lovelace' } })
  expect(await api('POST', `/v1/orders/${id}/invoice`)).toMatchObject({ status: 202, body: null })
  await eventually(() => expect(findEvents().at(-1)).toMatchObject({ type: 'order.updated', data: { is_invoice_generated: true } }))

  const pdf = await download(system)
  const { text } = await extractText(pdf.slice(), { mergePages: true })
  const order = (await api('GET', `/v1/orders/${id}`)).body
  expect(order).toMatchObject({ is_invoice_generated: true })
  for (const expected of ['HARBOUR-0001', 'Ada Lovelace', 'SW1Y 4JH', order.items[0].label, '49.00']) expect(text).toContain(expected)

  expect(await api('POST', `/v1/orders/${id}/invoice`)).toMatchObject({ status: 409, body: { error: 'InvoiceAlreadyExists' } })
  const renamed = await api('PATCH', `/v1/orders/${id}`, { ...buyer, billing_name: 'Grace Hopper' })
  expect(renamed).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'billing_name'] }] } })

  const hash = sha256(pdf)
  for (const service of ['gateway', 'auth', 'orders', 'invoices', 'webhooks'] as const) system.kill(service)
  await eventually(async () => expect(sha256(await download(system))).toBe(hash))

  async function download({ api }: typeof system): Promise<Uint8Array> {
    const { body } = await api('GET', `/v1/orders/${id}/invoice`)
    const response = await fetch(body.url)
    expect(response.headers.get('content-type')).toBe('application/pdf')
    return new Uint8Array(await response.arrayBuffer())
  }
})

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
