import { createHash } from 'node:crypto'
import { eventually } from '@quittance/testing/eventually'
import { startEndpointSink } from '@quittance/testing/endpoint-sink'
import { scale } from '@quittance/testing/scale'
import { callApi, startSystem, type StartedSystem } from '@quittance/testing/system'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectAccepted, buyer, sell, subscribe, waitUntilPaid } from '../sale.ts'

let system: StartedSystem

beforeAll(async () => {
  system = await startSystem({ env: { RATE_LIMIT_PER_SECOND: '0' }, replicas: 'gateway=2,invoices=2' })
})
afterAll(() => system[Symbol.asyncDispose]())

async function createBilledOrder(): Promise<string> {
  const id = await sell(system)
  await waitUntilPaid(system, id)
  await expectAccepted(() => system.api('PATCH', `/v1/orders/${id}`, buyer))
  return id
}

interface InvoiceRow {
  id: string
  number: string
  status: string
  documents: number
}

const findInvoices = (orderIds: string[]) =>
  system.rows<InvoiceRow>(
    'invoices',
    `select id, number, status, (select count(*)::int from invoice_documents d where d.invoice_id = i.id) as documents
     from invoices i where order_id = any($1) order by position`,
    [orderIds],
  )

function waitUntilGenerated(orderIds: string[]): Promise<InvoiceRow[]> {
  return eventually(
    async () => {
      const found = await findInvoices(orderIds)
      expect(found.filter(({ status }) => status === 'generated')).toHaveLength(orderIds.length)
      return found
    },
    { withinMs: 120_000 },
  )
}

test('50 requests at once get 202 or 409 and create one invoice and one event [2–5, 7, 8, 107]', async () => {
  await using sink = await startEndpointSink()
  await subscribe(system, sink)
  const id = await createBilledOrder()
  expect(await system.api('GET', `/v1/orders/${id}/invoice`)).toMatchObject({ status: 404, body: { error: 'ResourceNotFound' } })
  expect(await findInvoices([id])).toEqual([])
  const gateways = system.readReadyFile().services.gateway.map(({ url }) => url)
  expect(new Set(gateways).size).toBe(2)
  const token = system.demo.organization_access_token
  const responses = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      callApi(`${gateways[index % 2]}/v1/orders/${id}/invoice`, { method: 'POST', token, body: {} }),
    ),
  )
  expect([...new Set(responses.map(({ status }) => status))].filter((status) => status !== 202 && status !== 409)).toEqual([])
  const [invoice] = await waitUntilGenerated([id])
  expect(invoice).toMatchObject({ documents: 1 })
  await eventually(async () => expect((await system.api('GET', `/v1/orders/${id}`)).body).toMatchObject({ is_invoice_generated: true }))
  expect((await system.api('POST', `/v1/orders/${id}/invoice`)).status).toBe(409)
  const { items } = await expectAccepted(() => system.api('GET', `/v1/orders/?limit=100`))
  expect(items.find((order: { id: string }) => order.id === id)).toMatchObject({ is_invoice_generated: true })
  const generated = () =>
    sink.received.map(({ body }) => JSON.parse(body)).filter(({ data }) => data.id === id && data.is_invoice_generated === true)
  await eventually(() => expect(generated()).toHaveLength(1))
})

test('accepts an invoice request with a body, an empty body or none [16]', async () => {
  const ids: string[] = []
  for (const body of [undefined, '', {}]) {
    const id = await createBilledOrder()
    ids.push(id)
    expect((await system.api('POST', `/v1/orders/${id}/invoice`, body)).status).toBe(202)
  }
  // These invoices must have their numbers before the next test reads the last number.
  await waitUntilGenerated(ids)
})

const concurrentOrders = scale(60, 200)

test(`numbers ${concurrentOrders} concurrent orders without a gap and creates a document for each [37, 39, 47]`, async () => {
  const orderIds: string[] = []
  for (let round = 0; round < concurrentOrders / 10; round += 1)
    orderIds.push(...(await Promise.all(Array.from({ length: 10 }, createBilledOrder))))
  const [lastRow] = await system.rows<{ last: number }>(
    'invoices',
    'select max(last_number)::int as last from document_series where organization_id = $1',
    [system.demo.organization.id],
  )
  await Promise.all(orderIds.map((id) => expectAccepted(() => system.api('POST', `/v1/orders/${id}/invoice`))))
  const numbers = await eventually(
    async () => {
      const found = await findInvoices(orderIds)
      expect(found).toHaveLength(concurrentOrders)
      return found.map(({ number }) => Number(/\d+$/.exec(number)?.[0]))
    },
    { withinMs: 120_000 },
  )
  expect(numbers).toEqual(Array.from({ length: concurrentOrders }, (_, index) => (lastRow?.last ?? 0) + 1 + index))
  const found = await waitUntilGenerated(orderIds)
  expect(found.map(({ documents }) => documents)).toEqual(Array.from({ length: concurrentOrders }, () => 1))
  const series = (await system.api('GET', '/v1/invoices/series')).body.items
  expect(series.map(({ missing }: { missing: string[] }) => missing)).toEqual(series.map(() => []))
})

function waitUntilCredited(orderId: string, count: number): Promise<void> {
  return eventually(async () => {
    const { body } = await system.api('GET', `/v1/credit-notes/?order_id=${orderId}`)
    const statuses = body.items.map(({ status }: { status: string }) => status)
    expect(statuses).toEqual(Array.from({ length: count }, () => 'generated'))
  })
}

test('a refund and a correction create documents; downloads stay byte-identical [101, 105, 106]', async () => {
  const id = await createBilledOrder()
  await expectAccepted(() => system.api('POST', `/v1/orders/${id}/invoice`))
  const { url } = await eventually(() => expectAccepted(() => system.api('GET', `/v1/orders/${id}/invoice`)))
  const hashDocument = async (link: string) =>
    createHash('sha256')
      .update(Buffer.from(await (await fetch(link)).arrayBuffer()))
      .digest('hex')
  const hash = await hashDocument(url)
  await expectAccepted(() => system.api('POST', '/v1/refunds/', { order_id: id, reason: 'other', amount: 100 }))
  await waitUntilCredited(id, 1)
  const [first] = (await system.api('GET', `/v1/invoices/?order_id=${id}`)).body.items
  expect(first.sha256).toBe(hash)
  const corrected = await system.api('POST', `/v1/invoices/${first.id}/corrections`, { billing_name: 'Countess Lovelace' })
  expect(corrected).toMatchObject({ status: 201, body: { replacement: { replaces_id: first.id, billing_name: 'Countess Lovelace' } } })
  await waitUntilCredited(id, 3)
  const refetched = await system.api('GET', `/v1/invoices/${first.id}`)
  expect(await hashDocument(refetched.body.url)).toBe(hash)
  const verified = await fetch(`${system.readReadyFile().base_url}/v1/invoices/verify?number=${first.invoice_number}&sha256=${hash}`)
  expect(await verified.json()).toMatchObject({ valid: true, invoice_number: first.invoice_number })
  expect((await system.api('DELETE', `/v1/customers/${system.demo.customer_id}`)).status).toBe(204)
  expect(await hashDocument((await system.api('GET', `/v1/invoices/${first.id}`)).body.url)).toBe(hash)
})
