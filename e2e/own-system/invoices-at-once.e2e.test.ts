import { createHash } from 'node:crypto'
import { eventually } from '@quittance/testing/eventually'
import { startEndpointSink } from '@quittance/testing/endpoint-sink'
import { callApi, startSystem, type StartedSystem } from '@quittance/testing/system'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accepted, buyer, sell, subscribe, untilPaid } from '../sale.ts'

let system: StartedSystem

beforeAll(async () => {
  system = await startSystem({ env: { RATE_LIMIT_PER_SECOND: '0' }, replicas: 'gateway=2,invoices=2' })
})
afterAll(() => system[Symbol.asyncDispose]())

async function billedOrder(): Promise<string> {
  const id = await sell(system)
  await untilPaid(system, id)
  await accepted(() => system.api('PATCH', `/v1/orders/${id}`, buyer))
  return id
}

interface InvoiceRow {
  id: string
  number: string
  status: string
  documents: number
}

const invoicesOf = (orderIds: string[]) =>
  system.rows<InvoiceRow>(
    'invoices',
    `select id, number, status, (select count(*)::int from invoice_documents d where d.invoice_id = i.id) as documents
     from invoices i where order_id = any($1) order by position`,
    [orderIds],
  )

function untilGenerated(orderIds: string[]): Promise<InvoiceRow[]> {
  return eventually(
    async () => {
      const found = await invoicesOf(orderIds)
      expect(found.filter(({ status }) => status === 'generated')).toHaveLength(orderIds.length)
      return found
    },
    { withinMs: 120_000 },
  )
}

test('fifty requests at once through two gateways for one order: one number, one document, one event, and only 202 and 409 (checklist 2–5, 7, 8, 107)', async () => {
  await using sink = await startEndpointSink()
  await subscribe(system, sink)
  const id = await billedOrder()
  expect(await system.api('GET', `/v1/orders/${id}/invoice`)).toMatchObject({ status: 404, body: { error: 'ResourceNotFound' } })
  expect(await invoicesOf([id])).toEqual([])
  const gateways = system.facts().services.gateway.map(({ url }) => url)
  expect(new Set(gateways).size).toBe(2)
  const token = system.demo.organization_access_token
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      callApi(`${gateways[index % 2]}/v1/orders/${id}/invoice`, { method: 'POST', token, body: {} }),
    ),
  )
  expect([...new Set(answers.map(({ status }) => status))].filter((status) => status !== 202 && status !== 409)).toEqual([])
  const [invoice] = await untilGenerated([id])
  expect(invoice).toMatchObject({ documents: 1 })
  await eventually(async () => expect((await system.api('GET', `/v1/orders/${id}`)).body).toMatchObject({ is_invoice_generated: true }))
  expect((await system.api('POST', `/v1/orders/${id}/invoice`)).status).toBe(409)
  const { items } = await accepted(() => system.api('GET', `/v1/orders/?limit=100`))
  expect(items.find((order: { id: string }) => order.id === id)).toMatchObject({ is_invoice_generated: true })
  const generated = () =>
    sink.received.map(({ body }) => JSON.parse(body)).filter(({ data }) => data.id === id && data.is_invoice_generated === true)
  await eventually(() => expect(generated()).toHaveLength(1))
})

test('an invoice is asked for with a body, an empty one or none (checklist 16)', async () => {
  const ids: string[] = []
  for (const body of [undefined, '', {}]) {
    const id = await billedOrder()
    ids.push(id)
    expect((await system.api('POST', `/v1/orders/${id}/invoice`, body)).status).toBe(202)
  }
  // They take their numbers before the next test counts from there.
  await untilGenerated(ids)
})

test('two hundred orders at once are numbered without a gap, and each has its document (checklist 37, 39, 47)', async () => {
  const orderIds: string[] = []
  for (let round = 0; round < 20; round += 1) orderIds.push(...(await Promise.all(Array.from({ length: 10 }, billedOrder))))
  const [taken] = await system.rows<{ last: number }>(
    'invoices',
    'select max(last_number)::int as last from document_series where organization_id = $1',
    [system.demo.organization.id],
  )
  await Promise.all(orderIds.map((id) => accepted(() => system.api('POST', `/v1/orders/${id}/invoice`))))
  const numbers = await eventually(
    async () => {
      const found = await invoicesOf(orderIds)
      expect(found).toHaveLength(200)
      return found.map(({ number }) => Number(/\d+$/.exec(number)?.[0]))
    },
    { withinMs: 120_000 },
  )
  expect(numbers).toEqual(Array.from({ length: 200 }, (_, index) => (taken?.last ?? 0) + 1 + index))
  const found = await untilGenerated(orderIds)
  expect(found.map(({ documents }) => documents)).toEqual(Array.from({ length: 200 }, () => 1))
  const series = (await system.api('GET', '/v1/invoices/series')).body.items
  expect(series.map(({ missing }: { missing: string[] }) => missing)).toEqual(series.map(() => []))
})

function untilCredited(orderId: string, count: number): Promise<void> {
  return eventually(async () => {
    const { body } = await system.api('GET', `/v1/credit-notes/?order_id=${orderId}`)
    const statuses = body.items.map(({ status }: { status: string }) => status)
    expect(statuses).toEqual(Array.from({ length: count }, () => 'generated'))
  })
}

test('a refund has its credit note, a wrong invoice its replacement, and what was downloaded stays byte for byte (checklist 101, 105, 106)', async () => {
  const id = await billedOrder()
  await accepted(() => system.api('POST', `/v1/orders/${id}/invoice`))
  const { url } = await eventually(() => accepted(() => system.api('GET', `/v1/orders/${id}/invoice`)))
  const hashOf = async (link: string) =>
    createHash('sha256')
      .update(Buffer.from(await (await fetch(link)).arrayBuffer()))
      .digest('hex')
  const hash = await hashOf(url)
  await accepted(() => system.api('POST', '/v1/refunds/', { order_id: id, reason: 'other', amount: 100 }))
  await untilCredited(id, 1)
  const [first] = (await system.api('GET', `/v1/invoices/?order_id=${id}`)).body.items
  expect(first.sha256).toBe(hash)
  const corrected = await system.api('POST', `/v1/invoices/${first.id}/corrections`, { billing_name: 'Countess Lovelace' })
  expect(corrected).toMatchObject({ status: 201, body: { replacement: { replaces_id: first.id, billing_name: 'Countess Lovelace' } } })
  await untilCredited(id, 3)
  const again = await system.api('GET', `/v1/invoices/${first.id}`)
  expect(await hashOf(again.body.url)).toBe(hash)
  const verified = await fetch(`${system.facts().base_url}/v1/invoices/verify?number=${first.invoice_number}&sha256=${hash}`)
  expect(await verified.json()).toMatchObject({ valid: true, invoice_number: first.invoice_number })
  expect((await system.api('DELETE', `/v1/customers/${system.demo.customer_id}`)).status).toBe(204)
  expect(await hashOf((await system.api('GET', `/v1/invoices/${first.id}`)).body.url)).toBe(hash)
})
