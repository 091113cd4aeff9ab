import { randomUUID } from 'node:crypto'
import { customerCreated, customerDeleted, customerSnapshotted, customerUpdated, type Customer } from '@quittance/contracts/customers'
import type { Event } from '@quittance/contracts/event'
import { eventually } from '@quittance/testing/eventually'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { awaitHandled, buildEvent, startUsage, type TestUsage } from './start-usage.ts'

let usage: TestUsage
beforeAll(async () => {
  usage = await startUsage()
})
afterAll(() => usage[Symbol.asyncDispose]())

/** Publishes a change of a customer, and waits until it is handled. */
async function publish(event: Event, customer: Customer): Promise<void> {
  const payload = { ...customer, modified_at: new Date().toISOString() }
  await awaitHandled(usage, await usage.emit(event, payload, { organizationId: usage.organizationId, aggregateId: customer.id }))
}

test('gives a customer the events of their external id from before their creation', async () => {
  const external_id = randomUUID()
  await usage.ingest([buildEvent({ external_customer_id: external_id }), buildEvent({ external_customer_id: external_id })])
  const customer = await usage.publishCustomer(usage.buildCustomer({ external_id }))
  await usage.ingest([buildEvent({ external_customer_id: external_id }), buildEvent({ customer_id: customer.id })])
  const events = await usage.list({ customer_id: customer.id })
  expect(events).toHaveLength(4)
  for (const event of events) expect(event).toMatchObject({ customer_id: customer.id, external_customer_id: external_id, customer })
  expect(await usage.list({ external_customer_id: external_id })).toEqual(events)
})

test('gives a customer with events those of an external id they take later', async () => {
  const customer = await usage.publishCustomer()
  const external_id = randomUUID()
  await usage.ingest([buildEvent({ customer_id: customer.id }), buildEvent({ external_customer_id: external_id })])
  expect(await usage.list({ customer_id: customer.id })).toHaveLength(1)
  await publish(customerUpdated, { ...customer, external_id })
  await usage.ingest([buildEvent({ external_customer_id: external_id })])
  const events = await usage.list({ customer_id: customer.id })
  expect(events.map(({ external_customer_id }) => external_customer_id)).toEqual([external_id, external_id, external_id])
})

test('a customer who gives their external id up keeps the events of it; later ones are of no customer', async () => {
  const [first, second] = [randomUUID(), randomUUID()]
  const customer = await usage.publishCustomer(usage.buildCustomer({ external_id: first }))
  await usage.ingest([buildEvent({ external_customer_id: first })])
  await publish(customerUpdated, { ...customer, external_id: second })
  await usage.ingest([buildEvent({ external_customer_id: first })])
  expect(await usage.list({ external_customer_id: second })).toMatchObject([{ customer_id: customer.id }])
  expect(await usage.list({ external_customer_id: first })).toMatchObject([{ customer_id: null }])
})

test('empties the copy of a deleted customer; a later customer with their external id has none of their events [usage 77]', async () => {
  const external_id = randomUUID()
  const customer = await usage.publishCustomer(usage.buildCustomer({ external_id, name: 'Erased Reader' }))
  await usage.ingest([buildEvent({ customer_id: customer.id })])
  await publish(customerDeleted, { ...customer, deleted_at: new Date().toISOString() })
  expect(await usage.list({ customer_id: customer.id })).toMatchObject([{ customer: null, customer_id: customer.id }])
  expect(await usage.rows(`select from customers where document::text like '%Erased Reader%' or external_id = $1`, [external_id])).toEqual(
    [],
  )
  await publish(customerUpdated, customer)
  expect(await usage.list({ customer_id: customer.id })).toMatchObject([{ customer: null }])
  await expect(usage.ingest([buildEvent({ customer_id: customer.id })])).rejects.toMatchObject({ status: 422 })
  await usage.ingest([buildEvent({ external_customer_id: external_id })])
  const successor = await usage.publishCustomer(usage.buildCustomer({ external_id }))
  expect(await usage.list({ customer_id: successor.id })).toHaveLength(1)
  expect(await usage.list({ customer_id: customer.id })).toHaveLength(1)
})

test('ignores a snapshot from before the last change', async () => {
  const customer = await usage.publishCustomer(usage.buildCustomer({ name: 'Before' }))
  await publish(customerUpdated, { ...customer, name: 'After' })
  const about = { organizationId: usage.organizationId, aggregateId: customer.id }
  await awaitHandled(usage, await usage.emit(customerSnapshotted, customer, about))
  await usage.ingest([buildEvent({ customer_id: customer.id })])
  expect(await usage.list({ customer_id: customer.id })).toMatchObject([{ customer: { name: 'After' } }])
})

test('changes of customers that arrive together have the effects of their order', async () => {
  const [given, taken] = [randomUUID(), randomUUID()]
  const [first, second, deleted] = [{ external_id: given }, {}, {}].map((change) => usage.buildCustomer(change)) as [
    Customer,
    Customer,
    Customer,
  ]
  await usage.ingest([given, taken, taken].map((external_customer_id) => buildEvent({ external_customer_id })))
  let at = Date.now()
  const emit = (event: Event, customer: Customer) =>
    usage.emit(
      event,
      { ...customer, modified_at: new Date(at++).toISOString() },
      { organizationId: usage.organizationId, aggregateId: customer.id },
    )
  const sent = await Promise.all([
    ...[first, second, deleted].map((customer) => emit(customerCreated, customer)),
    emit(customerUpdated, { ...first, external_id: null }),
    emit(customerDeleted, { ...deleted, deleted_at: new Date().toISOString() }),
    emit(customerUpdated, { ...first, external_id: taken }),
    emit(customerUpdated, deleted),
    emit(customerUpdated, { ...second, name: 'Last' }),
  ])
  for (const id of sent) await awaitHandled(usage, id)
  await usage.ingest([buildEvent({ customer_id: second.id })])
  expect(await usage.list({ customer_id: first.id })).toHaveLength(3)
  expect(await usage.list({ customer_id: second.id })).toMatchObject([{ customer: { name: 'Last' } }])
  await expect(usage.ingest([buildEvent({ customer_id: deleted.id })])).rejects.toMatchObject({ status: 422 })
})

test('waits for a customer who is on the way [usage 17]', async () => {
  const customer = usage.buildCustomer()
  const sent = usage.ingest([buildEvent({ customer_id: customer.id })])
  await usage.emit(customerCreated, customer, { organizationId: usage.organizationId, aggregateId: customer.id })
  expect(await sent).toEqual({ inserted: 1, duplicates: 0 })
})

test('returns 503 for an unknown customer while events about customers wait [usage 17]', async () => {
  const customer = usage.buildCustomer()
  const close = await usage.holdTransaction('lock table customers in share row exclusive mode')
  const id = await usage.emit(customerCreated, customer, { organizationId: usage.organizationId, aggregateId: customer.id })
  await expect(usage.ingest([buildEvent({ customer_id: customer.id })])).rejects.toMatchObject({ status: 503 })
  await close()
  await awaitHandled(usage, id)
  expect(await usage.ingest([buildEvent({ customer_id: customer.id })])).toEqual({ inserted: 1, duplicates: 0 })
})

test('attributes every event while customers take external ids', async () => {
  const ids = Array.from({ length: 30 }, () => randomUUID())
  const sending = Promise.all(
    ids.flatMap((external_customer_id) => [1, 2, 3].map(() => usage.ingest([buildEvent({ name: 'raced', external_customer_id })]))),
  )
  const customers = ids.map((external_id) => usage.buildCustomer({ external_id }))
  for (const customer of customers)
    await usage.emit(customerCreated, customer, { organizationId: usage.organizationId, aggregateId: customer.id })
  await sending
  await eventually(async () => {
    const [row] = await usage.rows<{ count: string }>('select count(*) from customers where external_id = any ($1)', [ids])
    expect(Number(row?.count)).toBe(ids.length)
  })
  const events = await usage.list({ name: 'raced' })
  expect(events).toHaveLength(90)
  expect(events.filter(({ customer_id }) => customer_id === null)).toEqual([])
})
