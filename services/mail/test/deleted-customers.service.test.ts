import { randomUUID } from 'node:crypto'
import { creditNoteGenerated } from '@quittance/contracts/credit-note-events'
import { customerDeleted } from '@quittance/contracts/customers'
import type { Order } from '@quittance/contracts/orders'
import { orderRefunded } from '@quittance/contracts/refunds'
import { buildContractExample } from '@quittance/contracts/schema-example'
import { subscriptionRevoked, type Subscription } from '@quittance/contracts/subscriptions'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { markForgottenCustomers } from '../src/migrations/20261130202500-keep-deleted-customers.ts'
import { startMail, type TestMail } from './start-mail.ts'

const readCustomers = (mail: TestMail) =>
  mail.rows<{ id: string; email: string | null; is_deleted: boolean }>(
    'select id, email, deleted_at is not null as is_deleted from customers',
  )

const untilHandled = (mail: TestMail, id: string) =>
  eventually(async () => expect(await mail.rows('select from inbox_messages where message_id = $1', [id])).toHaveLength(1))

/** Publishes that a customer is deleted, after a mail to them was sent. */
async function deleteBuyer(mail: TestMail): Promise<Order> {
  const order = mail.order()
  await mail.pay(order)
  await mail.ended(1)
  const deleted = { ...order.customer, deleted_at: new Date().toISOString() }
  await untilHandled(mail, await mail.emit(customerDeleted, deleted, { organizationId: mail.organizationId, aggregateId: deleted.id }))
  return order
}

/** Emits what a refund of the customer's invoice brings; the events contain the address that the documents keep. */
async function refund(mail: TestMail, order: Order): Promise<void> {
  const delivery = {
    customer_id: order.customer_id,
    recipient: order.customer.email,
    locale: 'en',
    currency: 'eur',
    total_amount: 5831,
    url: `http://127.0.0.1:8080/v1/invoices/documents/${order.id}?expires=1&signature=x`,
    url_expires_at: '2027-12-23T10:00:00Z',
  }
  const note = {
    credit_note_id: randomUUID(),
    order_id: order.id,
    number: 'HB-C-1',
    generated_at: '2026-11-23T10:00:00Z',
    delivery,
  }
  const about = { organizationId: mail.organizationId, aggregateId: order.id }
  await untilHandled(mail, await mail.emit(orderRefunded, order, about))
  await untilHandled(mail, await mail.emit(creditNoteGenerated, note, about))
}

/** Runs the jobs of a month later; returns once the job that removes old rows has ended. */
async function passMonth(mail: TestMail): Promise<void> {
  await mail.pay(mail.order())
  await mail.ended(2)
  await mail.rows(`update customers set deleted_at = deleted_at - interval '31 days'`)
  await mail.rows(`update mailbox_messages set stored_at = stored_at - interval '31 days'`)
  await mail.restart()
  await eventually(async () => expect(await mail.rows('select from mailbox_messages')).toHaveLength(0))
}

test('a refund 31 days after the deletion of a customer brings no mail and stores no address [pages 96]', async () => {
  await using mail = await startMail()
  const order = await deleteBuyer(mail)
  await passMonth(mail)
  await refund(mail, order)
  expect(await readCustomers(mail)).toContainEqual({ id: order.customer_id, email: null, is_deleted: true })
  const stored = await mail.rows(`select to_jsonb(m)::text as text from messages m union all select to_jsonb(c)::text from customers c`)
  expect(stored.filter(({ text }) => text.includes(order.customer.email))).toEqual([])
  expect(await mail.ended(2)).not.toContainEqual(expect.objectContaining({ kind: 'credit_note' }))
})

test('the migration marks a customer again who was forgotten and stored again, and no other customer', async () => {
  await using mail = await startMail()
  const order = await deleteBuyer(mail)
  const other = mail.order()
  await mail.pay(other)
  await mail.ended(2)
  await mail.rows(`begin; set local session_replication_role = replica; delete from customers where deleted_at is not null; commit`)
  await refund(mail, order)
  await mail.ended(3)
  expect(await readCustomers(mail)).toContainEqual({ id: order.customer_id, email: order.customer.email, is_deleted: false })
  for (const statement of markForgottenCustomers) await mail.rows(statement)
  expect(await readCustomers(mail)).toHaveLength(2)
  expect(await readCustomers(mail)).toContainEqual({ id: order.customer_id, email: null, is_deleted: true })
  expect(await readCustomers(mail)).toContainEqual({ id: other.customer_id, email: other.customer.email, is_deleted: false })
  const recipients = await mail.rows<{ recipient: string | null }>('select distinct recipient from messages order by recipient')
  expect(recipients.map(({ recipient }) => recipient)).toEqual([other.customer.email, null])
  expect(await mail.rows('select from mailbox_messages')).toHaveLength(1)
})

test('the release before does not remove the id of a deleted customer', async () => {
  await using mail = await startMail()
  const order = await deleteBuyer(mail)
  await mail.rows('delete from customers')
  expect(await readCustomers(mail)).toEqual([{ id: order.customer_id, email: null, is_deleted: true }])
})

test('an event that states its customer as deleted brings no mail, also before the deletion itself arrives', async () => {
  await using mail = await startMail()
  const order = mail.order()
  const customer = { ...order.customer, email: `${order.customer_id}@anonymized.invalid`, deleted_at: '2026-12-01T10:00:00Z' }
  await untilHandled(mail, await mail.pay({ ...order, customer }))
  const example = buildContractExample(subscriptionRevoked.payload) as Subscription
  const ended = { ...example, status: 'canceled' as const, customer, customer_id: customer.id }
  const about = { organizationId: mail.organizationId, aggregateId: customer.id }
  await untilHandled(mail, await mail.emit(subscriptionRevoked, ended, about))
  expect(await mail.rows('select from messages')).toEqual([])
  expect(await readCustomers(mail)).toEqual([])
})
