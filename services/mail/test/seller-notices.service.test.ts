import { randomUUID } from 'node:crypto'
import { declarationReceived } from '@quittance/contracts/declarations'
import type { PayloadOf } from '@quittance/contracts/event'
import { paymentAccountUnhealthy } from '@quittance/contracts/payment-accounts'
import { buildContractExample } from '@quittance/contracts/schema-example'
import { webhookEndpointDisabled } from '@quittance/contracts/webhooks'
import { simpleParser } from 'mailparser'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { startSmtpServer } from './smtp-server.ts'
import { startMail, type TestMail } from './start-mail.ts'

const smtp = await startSmtpServer()
afterAll(() => smtp[Symbol.asyncDispose]())
beforeEach(() => {
  smtp.received.length = 0
  smtp.behave({ kind: 'accept' })
})

type Declaration = PayloadOf<typeof declarationReceived>

function declare(mail: TestMail, change: Partial<Declaration> = {}): Promise<string> {
  const example = buildContractExample(declarationReceived.payload) as Declaration
  const declaration = {
    ...example,
    id: randomUUID(),
    organization_id: mail.organizationId,
    kind: 'withdrawal' as const,
    name: 'Ada Lovelace',
    locale: 'ar',
    email: `${randomUUID()}@buyer.example`,
    customer_id: null,
    reference: 'HB-2026-0042',
    created_at: '2026-11-23T10:00:00Z',
    effect: 'none' as const,
    refund_due_at: '2026-12-07T10:00:00Z',
    ...change,
  }
  return mail.emit(declarationReceived, declaration, { organizationId: mail.organizationId, aggregateId: declaration.id })
}

async function readNotices() {
  const notices = smtp.received.filter(({ to }) => to[0] === 'help@harbour.example')
  return Promise.all(notices.map(({ from, source }) => simpleParser(source).then((parsed) => ({ from, parsed }))))
}

test('a withdrawal is mailed to the seller with the day until which payments have to be returned [pages 84]', async () => {
  await using mail = await startMail({ smtpUrl: smtp.url })
  const email = `${randomUUID()}@buyer.example`
  await declare(mail, { email })
  await mail.ended(2)
  const [notice] = await readNotices()
  expect(notice?.from).toBe('sales@operator.example')
  expect(notice?.parsed.subject).toBe('Withdrawal received: HB-2026-0042')
  expect(notice?.parsed.text).toMatch(/Ada Lovelace[^]*Return payments until[^]*December 7, 2026/)
  expect(notice?.parsed.text).toContain(email)
  expect(notice?.parsed.text).toContain('Decide what to do')
  expect(notice?.parsed.replyTo).toBeUndefined()
})

test('a cancellation that has ended nothing yet, and one of the release before, are mailed too', async () => {
  await using mail = await startMail({ smtpUrl: smtp.url })
  await declare(mail, { kind: 'cancellation', effect: 'subscription_canceled', refund_due_at: null })
  await declare(mail, { kind: 'cancellation', effect: undefined, refund_due_at: undefined })
  await mail.ended(4)
  const texts = (await readNotices()).map(({ parsed }) => parsed.text ?? '')
  expect(texts.filter((text) => text.includes('The subscription ends with its paid period.'))).toHaveLength(1)
  expect(texts.filter((text) => text.includes('Nothing was changed'))).toHaveLength(1)
})

test('strangers cannot fill the mailbox of a seller: of 25 declarations 20 are mailed, and each consumer gets a receipt', async () => {
  await using mail = await startMail({ smtpUrl: smtp.url })
  for (let count = 0; count < 25; count++) await declare(mail)
  const kinds = (await mail.ended(45)).map(({ kind }) => kind)
  expect(kinds.filter((kind) => kind === 'withdrawal_receipt')).toHaveLength(25)
  expect(await readNotices()).toHaveLength(20)
})

test('declarations of strangers keep no notice about the contract of a customer from the seller', async () => {
  await using mail = await startMail({ smtpUrl: smtp.url })
  for (let count = 0; count < 21; count++) await declare(mail)
  await mail.ended(41)
  await declare(mail, { customer_id: randomUUID(), reference: 'HB-2026-0043' })
  await mail.ended(43)
  expect((await readNotices()).map(({ parsed }) => parsed.subject)).toContain('Withdrawal received: HB-2026-0043')
})

test('a seller without an address gets no notices, and the consumer gets the receipt', async () => {
  await using mail = await startMail({ smtpUrl: smtp.url })
  await mail.describeSeller({ email: null })
  await declare(mail)
  const ended = await mail.ended(2)
  expect(ended.map(({ kind, status }) => `${kind} ${status}`).toSorted()).toEqual([
    'declaration_notice disabled',
    'withdrawal_receipt sent',
  ])
})

test('a disabled endpoint is mailed to the seller without its path, each time', async () => {
  await using mail = await startMail({ smtpUrl: smtp.url })
  const example = buildContractExample(webhookEndpointDisabled.payload) as PayloadOf<typeof webhookEndpointDisabled>
  const endpoint = {
    ...example.endpoint,
    id: randomUUID(),
    organization_id: mail.organizationId,
    url: 'https://hooks.example/s3cret?key=k',
  }
  const about = { organizationId: mail.organizationId, aggregateId: endpoint.id }
  await mail.emit(webhookEndpointDisabled, { endpoint, failing_since: '2026-11-18T10:00:00Z' }, about)
  await mail.emit(webhookEndpointDisabled, { endpoint, failing_since: null }, about)
  await mail.ended(2)
  const notices = await readNotices()
  expect(notices.map(({ parsed }) => parsed.subject)).toEqual(Array(2).fill('Webhook endpoint disabled: hooks.example'))
  for (const { parsed } of notices) expect(`${parsed.text}${String(parsed.html)}`).not.toMatch(/s3cret|key=k/)
})

test('a rejected payment account is mailed to the seller once per event, with its provider and what to do', async () => {
  await using mail = await startMail({ smtpUrl: smtp.url })
  const example = buildContractExample(paymentAccountUnhealthy.payload) as PayloadOf<typeof paymentAccountUnhealthy>
  const account: typeof example = {
    ...example,
    id: randomUUID(),
    organization_id: mail.organizationId,
    provider: 'stripe',
    mode: 'live',
    provider_account: 'acct_harbour',
    health: { is_healthy: false, lacking: [], detail: 'Stripe rejected the API key.' },
  }
  const about = { organizationId: mail.organizationId, aggregateId: account.id }
  const id = await mail.emit(paymentAccountUnhealthy, account, about)
  await mail.emit(paymentAccountUnhealthy, account, { ...about, id })
  const lacking = { is_healthy: false, lacking: ['Refunds', 'Charges'], detail: 'The API key lacks permissions.' }
  await mail.emit(paymentAccountUnhealthy, { ...account, health: lacking }, about)
  expect((await mail.ended(2)).map(({ kind }) => kind)).toEqual(Array(2).fill('payment_account_unhealthy'))
  const [first, second, ...others] = await readNotices()
  expect(others).toEqual([])
  expect(first?.from).toBe('sales@operator.example')
  expect(first?.parsed.subject).toBe('Stripe rejects your payment account')
  const text = first?.parsed.text?.replaceAll(/\s+/g, ' ')
  expect(text).toMatch(/Reason: Stripe rejected the API key\..*acct_harbour.*Mode: live/)
  expect(text).toContain(account.id)
  expect(text).toContain(`create another restricted key there and store it with PATCH /v1/payment-accounts/${account.id}.`)
  expect(second?.parsed.text).toMatch(/Missing permissions: Refunds, Charges/)
})
