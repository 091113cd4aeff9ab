import { randomUUID } from 'node:crypto'
import { listOrdersDeadLetters, replayOrdersDeadLetters } from '@quittance/contracts/dead-letters'
import { organizationCaller } from '@quittance/testing/callers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { anOrganization, startOrders, type OrdersUnderTest } from './start-orders.ts'

const operator = { kind: 'operator' } as const
let orders: OrdersUnderTest
beforeAll(async () => {
  orders = await startOrders()
})
afterAll(() => orders[Symbol.asyncDispose]())

/** As the consumer leaves a message behind after its last try. */
async function bury(organizationId: string, payload: unknown): Promise<{ id: string; messageId: string }> {
  const messageId = randomUUID()
  const carried = {
    'Nats-Msg-Id': messageId,
    organization: organizationId,
    aggregate: organizationId,
    'occurred-at': '2026-01-01T00:00:00.000Z',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  }
  const [letter] = await orders.rows<{ id: string }>(
    `insert into dead_letters (consumer, message_id, subject, headers, payload, reason)
     values ('orders-organizations', $1, 'event.organization.created', $2, $3, 'Error: the disk was full') returning id`,
    [messageId, carried, Buffer.from(JSON.stringify(payload))],
  )
  return { id: (letter as { id: string }).id, messageId }
}

const known = (id: string) => orders.rows('select from organizations where id = $1', [id])

test('a dead letter is listed with its reason and its trace, handled when it is replayed, and gone', async () => {
  const organizationId = randomUUID()
  const { id, messageId } = await bury(organizationId, anOrganization(organizationId))
  const listed = await orders.call(listOrdersDeadLetters, {}, operator)
  expect(listed).toMatchObject({
    total_count: 1,
    dead_letters: [
      {
        id,
        message_id: messageId,
        consumer: 'orders-organizations',
        subject: 'event.organization.created',
        organization_id: organizationId,
        trace_id: '0af7651916cd43dd8448eb211c80319c',
        reason: 'Error: the disk was full',
      },
    ],
  })
  expect(await known(organizationId)).toHaveLength(0)
  expect(await orders.call(replayOrdersDeadLetters, { ids: null }, operator)).toEqual({ handled: [id], failed: [] })
  expect(await known(organizationId)).toHaveLength(1)
  expect(await orders.call(listOrdersDeadLetters, {}, operator)).toEqual({ dead_letters: [], total_count: 0 })
})

test('one that fails again stays, with the new reason, and has changed nothing', async () => {
  const organizationId = randomUUID()
  const { id } = await bury(organizationId, { ...anOrganization(organizationId), name: null })
  const { handled, failed } = await orders.call(replayOrdersDeadLetters, { ids: [id] }, operator)
  expect({ handled, failed }).toEqual({ handled: [], failed: [{ id, reason: expect.stringContaining('null') as string }] })
  const { dead_letters } = await orders.call(listOrdersDeadLetters, {}, operator)
  expect(dead_letters).toEqual([expect.objectContaining({ id, reason: failed[0]?.reason })])
  expect(await known(organizationId)).toHaveLength(0)
  await orders.rows('delete from dead_letters')
})

test('one whose event was handled meanwhile is not handled again', async () => {
  const organizationId = randomUUID()
  const { id, messageId } = await bury(organizationId, anOrganization(organizationId))
  await orders.rows(`insert into inbox_messages (consumer, message_id) values ('orders-organizations', $1)`, [messageId])
  expect(await orders.call(replayOrdersDeadLetters, { ids: [id] }, operator)).toEqual({ handled: [id], failed: [] })
  expect(await known(organizationId)).toHaveLength(0)
})

test('nobody but the operator sees them', async () => {
  const caller = organizationCaller(randomUUID())
  await expect(orders.call(listOrdersDeadLetters, {}, caller)).rejects.toMatchObject({ name: 'NotPermitted' })
  await expect(orders.call(replayOrdersDeadLetters, { ids: null }, caller)).rejects.toMatchObject({ name: 'NotPermitted' })
})
