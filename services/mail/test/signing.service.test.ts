import { generateKeyPairSync } from 'node:crypto'
import { eventually } from '@quittance/testing/eventually'
import { simpleParser } from 'mailparser'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { verifyDkim } from './dkim.ts'
import { startSmtpServer } from './smtp-server.ts'
import { startMail } from './start-mail.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
// As in an environment file: one line.
process.env['DKIM_PRIVATE_KEY'] = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString().replaceAll('\n', '\\n')
process.env['DKIM_SELECTOR'] = 'billing'

const smtp = await startSmtpServer()
afterAll(() => smtp[Symbol.asyncDispose]())
beforeEach(() => {
  smtp.received.length = 0
  smtp.seenIds.length = 0
  smtp.behave({ kind: 'accept' })
})

test('the DKIM signature of a mail verifies, also with text in another script and after a retry [pages 91]', async () => {
  await using mail = await startMail({ smtpUrl: smtp.url })
  await mail.describeSeller({ name: 'Hafenbücherei מפרש 港' })
  smtp.behave({ kind: 'reject', code: 451, at: 'data' })
  await mail.pay(mail.order({}, { locale: 'ja' }))
  await eventually(() => expect(smtp.seenIds.length).toBeGreaterThan(1))
  smtp.behave({ kind: 'accept' })
  const [sent] = await smtp.messages(1)
  const source = sent?.source ?? ''
  const result = verifyDkim(source, publicKey)
  expect(result).toMatchObject({ domain: 'operator.example', selector: 'billing', isBodyIntact: true, isSignatureValid: true })
  for (const field of ['from', 'to', 'subject', 'date', 'message-id', 'reply-to', 'auto-submitted']) expect(result.fields).toContain(field)
  // The check finds what a stranger changes.
  expect(verifyDkim(source.replace('Reply-To: ', 'Reply-To: x'), publicKey).isSignatureValid).toBe(false)
  expect(verifyDkim(`${source}x`, publicKey).isBodyIntact).toBe(false)
})

test('the domain of a seller is never in From, whatever name and address the seller has [pages 90]', async () => {
  await using mail = await startMail({ smtpUrl: smtp.url })
  for (const change of [
    { name: 'ceo@bank.example', email: 'ceo@bank.example' },
    { name: 'Bank <ceo@bank.example>', email: 'Bank <ceo@bank.example>' },
    { name: '"ceo@bank.example" <ceo@bank.example>,', email: 'ceo@bank.example, other@bank.example' },
  ]) {
    smtp.received.length = 0
    await mail.describeSeller(change)
    await mail.pay(mail.order())
    const [sent] = await smtp.messages(1)
    const { from } = await simpleParser(sent?.source ?? '')
    expect(sent?.from).toBe('sales@operator.example')
    expect(from?.value.map(({ address }) => address)).toEqual(['sales@operator.example'])
    expect(from?.value[0]?.name).not.toContain('@')
  }
})
