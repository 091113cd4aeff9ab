import { randomUUID } from 'node:crypto'
import { accountMailRequested } from '@quittance/contracts/invitations'
import { customerCodeRequested, mailSecretContext, type CodePurpose } from '@quittance/contracts/customer-codes'
import { sealSecret } from '@quittance/runtime/encryption'
import { eventually } from '@quittance/testing/eventually'
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

const key = Buffer.alloc(32, 9)
const code = '4F7-K2M'

interface Change {
  purpose?: CodePurpose
  customer_id?: string | null
  recipient?: string | null
  occurredAt?: Date
}

function requestCode(mail: TestMail, change: Change = {}) {
  const code_id = randomUUID()
  const { occurredAt = new Date(), ...recipient } = change
  const sealed_code = sealSecret(code, { keys: [key], context: mailSecretContext('customer_code', code_id) })
  const payload = { code_id, customer_id: randomUUID(), recipient: 'buyer@example.com', locale: 'de', sealed_code, ...recipient }
  return mail.emit(customerCodeRequested, payload, { organizationId: mail.organizationId, aggregateId: code_id, occurredAt })
}

/** Everything that is stored, as one text. */
async function readTables(mail: TestMail): Promise<string> {
  const tables = ['messages', 'customers', 'mailbox_messages', 'parked_messages', 'dead_letters', 'inbox_messages', 'outbox_messages']
  const rows = await Promise.all(tables.map((table) => mail.rows<{ text: string }>(`select to_jsonb(t)::text as text from ${table} t`)))
  return rows
    .flat()
    .map(({ text }) => text)
    .join('\n')
}

test('mails a code; tables have it encrypted until it is sent, and not at all afterwards [pages 89]', async () => {
  await using mail = await startMail({ smtpUrl: smtp.url })
  await smtp.kill()
  await requestCode(mail)
  const waiting = await eventually(async () => {
    const text = await readTables(mail)
    expect(text).toContain('aes-256-gcm$')
    return text
  })
  expect(waiting).not.toContain(code)
  await smtp.restart()
  const [sent] = await smtp.messages(1)
  const parsed = await simpleParser(sent?.source ?? '')
  expect(parsed.text).toContain(code)
  expect(parsed.html).toContain(code)
  expect(parsed.subject).toBe('Ihr Anmeldecode für Harbour Books')
  await mail.ended(1)
  const afterwards = await readTables(mail)
  expect(afterwards).not.toContain('aes-256-gcm$')
  expect(afterwards).not.toContain(code)
})

test('mails a code for a new address to it, and states who asked and what it does', async () => {
  await using mail = await startMail({ smtpUrl: smtp.url })
  await requestCode(mail, { purpose: 'email_update', customer_id: null, recipient: null })
  await requestCode(mail, { purpose: 'email_update', recipient: 'new@example.com' })
  const [sent] = await smtp.messages(1)
  expect(sent?.to).toEqual(['new@example.com'])
  const { subject, text = '', html } = await simpleParser(sent?.source ?? '')
  expect(subject).toBe('Bestätigen Sie Ihre neue E-Mail-Adresse bei Harbour Books')
  const stated = text.replaceAll(/\s+/g, ' ')
  expect(stated).toContain(code)
  expect(stated).toMatch(/Ein angemeldeter Kunde von .?Harbour Books.? möchte diese Adresse für sein Konto verwenden/)
  expect(stated).toContain('Wenn Sie das nicht angefordert haben, müssen Sie nichts tun.')
  expect(`${stated}${html}`).not.toContain('Anmeldeseite')
  expect(await mail.ended(1)).toMatchObject([{ kind: 'customer_code', status: 'sent' }])
  expect(await readTables(mail)).not.toContain('aes-256-gcm$')
})

test('sends no code later than ten minutes after it was requested [pages 87]', async () => {
  await using mail = await startMail({ smtpUrl: smtp.url })
  await mail.rows(`update installation set installed_at = now() - interval '1 hour'`)
  smtp.behave({ kind: 'reject', code: 451, at: 'data' })
  await requestCode(mail, { occurredAt: new Date(Date.now() - 595_000) })
  await mail.pay(mail.order())
  await eventually(async () => expect((await mail.list()).find(({ kind }) => kind === 'customer_code')?.status).toBe('expired'))
  smtp.behave({ kind: 'accept' })
  await mail.ended(2)
  expect(smtp.received.filter(({ source }) => source.includes('Anmeldecode'))).toEqual([])
  expect(await readTables(mail)).not.toContain('aes-256-gcm$')
})

test('sends codes before other mails that have waited longer', async () => {
  await using mail = await startMail({ smtpUrl: smtp.url })
  await smtp.kill()
  for (let count = 0; count < 20; count++) await mail.pay(mail.order())
  await requestCode(mail)
  await eventually(async () => expect(await mail.rows('select from messages')).toHaveLength(21))
  await smtp.restart()
  await smtp.messages(21)
  const position = smtp.received.findIndex(({ source }) => source.includes('Anmeldecode'))
  // The mail that is tried first may have been claimed before the code arrived, and five mails are sent at once.
  expect(position).toBeLessThan(7)
})

test('sends nothing to an address of no customer, and codes whatever the seller switched off [pages 63] [pages 92]', async () => {
  await using mail = await startMail({ smtpUrl: smtp.url })
  await mail.describeSeller({ switchedOff: ['order_confirmation', 'subscription_confirmation', 'subscription_updated'] })
  await requestCode(mail, { customer_id: null, recipient: null })
  await requestCode(mail)
  await smtp.messages(1)
  expect(await mail.ended(1)).toHaveLength(1)
})

test('mails the link of a password reset, from the operator, and nothing without a recipient', async () => {
  await using mail = await startMail({ smtpUrl: smtp.url })
  const request = (recipient: string | null) => {
    const source_id = randomUUID()
    const expires_at = new Date(Date.now() + 45 * 60_000).toISOString()
    const url = 'http://127.0.0.1:8080/oauth2/account/reset-password?token=qt_prt_1'
    const sealed_url = sealSecret(url, { keys: [key], context: mailSecretContext('password_reset', source_id) })
    const payload = { kind: 'password_reset' as const, source_id, recipient, locale: null, expires_at, sealed_url }
    return mail.emit(accountMailRequested, payload, { organizationId: null, aggregateId: source_id })
  }
  await request(null)
  await request('grace@example.com')
  const [sent] = await smtp.messages(1)
  expect(sent).toMatchObject({ from: 'sales@operator.example', to: ['grace@example.com'] })
  const parsed = await simpleParser(sent?.source ?? '')
  expect(parsed.subject).toBe('Set a new password')
  expect(parsed.text).toContain('http://127.0.0.1:8080/oauth2/account/reset-password?token=qt_prt_1')
  await eventually(async () =>
    expect(await mail.rows('select status, organization_id from messages')).toEqual([{ status: 'sent', organization_id: null }]),
  )
  expect(await readTables(mail)).not.toContain('qt_prt_1')
})

test('mails an invitation with its link, which leads to this installation only', async () => {
  await using mail = await startMail({ smtpUrl: smtp.url })
  const invite = (url: string) => {
    const source_id = randomUUID()
    const expires_at = new Date(Date.now() + 7 * 86_400_000).toISOString()
    const sealed_url = sealSecret(url, { keys: [key], context: mailSecretContext('invitation', source_id) })
    const payload = { kind: 'invitation' as const, source_id, recipient: 'grace@example.com', locale: null, expires_at, sealed_url }
    return mail.emit(accountMailRequested, payload, { organizationId: mail.organizationId, aggregateId: source_id })
  }
  await invite('http://127.0.0.1:8080/oauth2/invitations?token=qt_inv_1')
  const [sent] = await smtp.messages(1)
  const parsed = await simpleParser(sent?.source ?? '')
  expect(parsed.subject).toBe('Invitation to Harbour Books')
  expect(parsed.text).toContain('http://127.0.0.1:8080/oauth2/invitations?token=qt_inv_1')
  await invite('https://elsewhere.example/oauth2/invitations?token=qt_inv_1')
  const ended = await mail.ended(2)
  expect(ended.map(({ status }) => status)).toEqual(['failed', 'sent'])
})
