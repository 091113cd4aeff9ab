import { randomUUID } from 'node:crypto'
import { listOrdersDeadLetters, replayOrdersDeadLetters } from '@quittance/contracts/dead-letters'
import { signedEventHeaders } from '@quittance/testing/bus'
import { organizationCaller } from '@quittance/testing/callers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildOrganization, startOrders, type OrdersUnderTest } from './start-orders.ts'

const operator = { kind: 'operator' } as const
let orders: OrdersUnderTest
beforeAll(async () => {
  orders = await startOrders()
})
afterAll(() => orders[Symbol.asyncDispose]())

/** Inserts the row that a consumer stores after the last failed attempt. */
async function insertDeadLetter(organizationId: string, payload: unknown): Promise<{ id: string; messageId: string }> {
  const messageId = randomUUID()
  const subject = 'event.organization.created'
  const body = Buffer.from(JSON.stringify(payload))
  const about = { id: messageId, aggregateId: organizationId, organizationId, occurredAt: '2026-01-01T00:00:00.000Z' }
  const signed = signedEventHeaders('auth', { subject, body, ...about })
  const carried = {
    ...Object.fromEntries(signed.keys().map((key) => [key, signed.get(key)])),
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  }
  const [row] = await orders.rows<{ id: string }>(
    `insert into dead_letters (consumer, message_id, subject, headers, payload, reason)
     values ('orders-organizations', $1, $2, $3, $4, 'Error: the disk was full') returning id`,
    [messageId, subject, carried, body],
  )
  return { id: (row as { id: string }).id, messageId }
}

const known = (id: string) => orders.rows('select from organizations where id = $1', [id])

test('lists a dead letter with its reason and trace; a replay handles and removes it', async () => {
  const organizationId = randomUUID()
  const { id, messageId } = await insertDeadLetter(organizationId, buildOrganization(organizationId))
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

test('keeps a dead letter that fails again, with the new reason and without effects', async () => {
  const organizationId = randomUUID()
  const { id } = await insertDeadLetter(organizationId, { ...buildOrganization(organizationId), name: null })
  const { handled, failed } = await orders.call(replayOrdersDeadLetters, { ids: [id] }, operator)
  expect({ handled, failed }).toEqual({ handled: [], failed: [{ id, reason: expect.stringContaining('null') as string }] })
  const { dead_letters } = await orders.call(listOrdersDeadLetters, {}, operator)
  expect(dead_letters).toEqual([expect.objectContaining({ id, reason: failed[0]?.reason })])
  expect(await known(organizationId)).toHaveLength(0)
  await orders.rows('delete from dead_letters')
})

test('does not handle an event again that was handled since', async () => {
  const organizationId = randomUUID()
  const { id, messageId } = await insertDeadLetter(organizationId, buildOrganization(organizationId))
  await orders.rows(`insert into inbox_messages (consumer, message_id) values ('orders-organizations', $1)`, [messageId])
  expect(await orders.call(replayOrdersDeadLetters, { ids: [id] }, operator)).toEqual({ handled: [id], failed: [] })
  expect(await known(organizationId)).toHaveLength(0)
})

test('only the operator sees dead letters', async () => {
  const caller = organizationCaller(randomUUID())
  await expect(orders.call(listOrdersDeadLetters, {}, caller)).rejects.toMatchObject({ name: 'NotPermitted' })
  await expect(orders.call(replayOrdersDeadLetters, { ids: null }, caller)).rejects.toMatchObject({ name: 'NotPermitted' })
})
