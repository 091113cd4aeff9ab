import { randomUUID } from 'node:crypto'
import { customerUpdated, type Customer } from '@quittance/contracts/customers'
import { customerCodeRequested, mailSecretContext } from '@quittance/contracts/customer-codes'
import { declarationReceived } from '@quittance/contracts/declarations'
import type { PayloadOf } from '@quittance/contracts/event'
import { buildContractExample } from '@quittance/contracts/schema-example'
import { sealSecret } from '@quittance/runtime/encryption'
import { eventually } from '@quittance/testing/eventually'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { startSmtpServer } from './smtp-server.ts'
import { startMail, type TestMail } from './start-mail.ts'

const smtp = await startSmtpServer()
afterAll(() => smtp[Symbol.asyncDispose]())
beforeEach(() => {
  smtp.received.length = 0
  smtp.behave({ kind: 'reject', code: 550, at: 'recipient' })
})

/** Pays another order of the same customer. */
const payAgain = (mail: TestMail, customer: Customer) => mail.pay(mail.order({ customer_id: customer.id }, customer))

/** Sends receipts to one customer until the address is undeliverable; the first rejection is moved to the day before. */
async function rejectOnTwoDays(mail: TestMail): Promise<Customer> {
  const { customer } = mail.order()
  await payAgain(mail, customer)
  await mail.ended(1)
  await payAgain(mail, customer)
  await mail.ended(2)
  expect(await readAddress(mail, customer)).toEqual({ email: customer.email, is_rejected: true, is_undeliverable: false })
  await mail.rows('update customers set rejected_on = rejected_on - 1 where id = $1', [customer.id])
  await payAgain(mail, customer)
  await mail.ended(3)
  expect(await readAddress(mail, customer)).toMatchObject({ is_undeliverable: true })
  return customer
}

async function readAddress(mail: TestMail, { id }: Customer) {
  const [row] = await mail.rows<{ email: string; is_rejected: boolean; is_undeliverable: boolean }>(
    'select email, rejected_on is not null as is_rejected, undeliverable_since is not null as is_undeliverable from customers where id = $1',
    [id],
  )
  return row
}

function withdraw(mail: TestMail, customer: { email: string; id: string | null }): Promise<string> {
  const example = buildContractExample(declarationReceived.payload) as PayloadOf<typeof declarationReceived>
  const declaration = { ...example, id: randomUUID(), kind: 'withdrawal', email: customer.email, customer_id: customer.id } as const
  return mail.emit(declarationReceived, declaration, { organizationId: mail.organizationId, aggregateId: declaration.id })
}

test('an address that was rejected on two days gets no more mails, and the seller sees why [pages 88]', async () => {
  await using mail = await startMail({ smtpUrl: smtp.url })
  const customer = await rejectOnTwoDays(mail)
  smtp.behave({ kind: 'accept' })
  await payAgain(mail, customer)
  const [unsent] = await mail.ended(4)
  expect(unsent).toMatchObject({ status: 'failed', failure_reason: expect.stringContaining('rejected on two days') })
  const other = mail.order()
  await mail.pay(other)
  await mail.ended(5)
  expect(smtp.received.map(({ to }) => to)).toEqual([[other.customer.email]])
})

test('a receipt that the law demands is sent nevertheless, and its arrival makes the address usable again [pages 88] [pages 92]', async () => {
  await using mail = await startMail({ smtpUrl: smtp.url })
  const customer = await rejectOnTwoDays(mail)
  smtp.behave({ kind: 'accept' })
  await withdraw(mail, customer)
  // The receipt, and the notice to the seller.
  await mail.ended(5)
  await eventually(async () => expect(await readAddress(mail, customer)).toMatchObject({ is_rejected: false, is_undeliverable: false }))
  await payAgain(mail, customer)
  await mail.ended(6)
  expect(smtp.received.filter(({ to }) => to[0] === customer.email)).toHaveLength(2)
})

test('another address of the customer is used at once [pages 88]', async () => {
  await using mail = await startMail({ smtpUrl: smtp.url })
  const customer = await rejectOnTwoDays(mail)
  smtp.behave({ kind: 'accept' })
  const moved = { ...customer, email: `new-${customer.email}`, modified_at: new Date().toISOString() }
  await mail.emit(customerUpdated, moved, { organizationId: mail.organizationId, aggregateId: customer.id })
  await eventually(async () => expect(await readAddress(mail, customer)).toMatchObject({ email: moved.email, is_rejected: false }))
  await payAgain(mail, moved)
  await mail.ended(4)
  expect(smtp.received.map(({ to }) => to)).toEqual([[moved.email]])
})

test('a mail that is rejected for its content does not count against the address', async () => {
  await using mail = await startMail({ smtpUrl: smtp.url })
  smtp.behave({ kind: 'reject', code: 554, at: 'data' })
  const { customer } = mail.order()
  await payAgain(mail, customer)
  await mail.ended(1)
  expect(await readAddress(mail, customer)).toMatchObject({ is_rejected: false })
})

test('a server that does not relay for the operator makes no address undeliverable', async () => {
  await using mail = await startMail({ smtpUrl: smtp.url })
  smtp.behave({ kind: 'reject', code: 554, at: 'recipient', text: '5.7.1 Relay access denied' })
  const { customer } = mail.order()
  await payAgain(mail, customer)
  const [failed] = await mail.ended(1)
  expect(failed).toMatchObject({ status: 'failed', failure_reason: expect.stringContaining('5.7.1 Relay access denied') })
  expect(await readAddress(mail, customer)).toMatchObject({ is_rejected: false })
})

test('a receipt that is rejected for now is retried like other mails, and among them', async () => {
  await using mail = await startMail({ smtpUrl: smtp.url })
  smtp.behave({ kind: 'reject', code: 450, at: 'recipient' })
  await withdraw(mail, { email: 'buyer@unknown.example', id: null })
  // The receipt, and the notice to the seller.
  const ended = await mail.ended(2)
  expect(ended.map(({ status, failure_reason }) => [status, failure_reason])).toEqual(
    Array.from({ length: 2 }, () => ['failed', expect.stringContaining('450')]),
  )
  const [receipt] = await mail.rows(`select attempts, is_urgent from messages where kind = 'withdrawal_receipt'`)
  expect(receipt).toEqual({ attempts: 7, is_urgent: false })
})

test('a code that is rejected for now is retried every 15 s after the schedule, until it expires', async () => {
  await using mail = await startMail({ smtpUrl: smtp.url })
  smtp.behave({ kind: 'reject', code: 450, at: 'recipient' })
  const code_id = randomUUID()
  const sealed_code = sealSecret('4F7-K2M', { keys: [Buffer.alloc(32, 9)], context: mailSecretContext('customer_code', code_id) })
  const payload = { code_id, customer_id: randomUUID(), recipient: 'buyer@example.com', locale: null, sealed_code }
  await mail.emit(customerCodeRequested, payload, { organizationId: mail.organizationId, aggregateId: code_id })
  await eventually(async () => {
    const [code] = await mail.rows(
      `select status, is_urgent, next_attempt_at < now() + interval '16 seconds' as is_soon from messages where attempts = 7 and failures = 7`,
    )
    expect(code).toEqual({ status: 'waiting', is_urgent: true, is_soon: true })
  })
})
