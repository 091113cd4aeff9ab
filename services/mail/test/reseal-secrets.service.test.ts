import { randomBytes, randomUUID } from 'node:crypto'
import { customerCodeRequested, mailSecretContext } from '@quittance/contracts/customer-codes'
import { createMailSender } from '@quittance/contracts/mail-senders'
import { openSecret, sealSecret } from '@quittance/runtime/encryption'
import { organizationCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { mailboxContext } from '../src/mailbox/mailbox-routes.ts'
import { senderKeyContext } from '../src/senders/sender-operations.ts'
import { startSmtpServer } from './smtp-server.ts'
import { startMail, type TestMail } from './start-mail.ts'

const oldKey = Buffer.alloc(32, 9)
const newKey = randomBytes(32)

async function restartWith(mail: TestMail, ...keys: Buffer[]) {
  process.env['MAIL_KEY'] = keys.map((key) => key.toString('base64')).join()
  await mail.restart()
}

async function read(mail: TestMail, columns: string, context: (id: string) => string): Promise<string[]> {
  const rows = await mail.rows<{ id: string; sealed: string }>(`select ${columns}`)
  return rows.map(({ id, sealed }) => openSecret(sealed, { keys: [newKey], context: context(id) }))
}

test('after a change of MAIL_KEY keys of senders and waiting codes open with the new key alone', async () => {
  await using smtp = await startSmtpServer()
  await using mail = await startMail({ smtpUrl: smtp.url })
  const address = `billing@${randomUUID()}.shop.example`
  await mail.call(createMailSender, { address }, organizationCaller(mail.organizationId))
  await smtp.kill()
  const code_id = randomUUID()
  const sealed_code = sealSecret('4F7-K2M', { keys: [oldKey], context: mailSecretContext('customer_code', code_id) })
  const payload = { code_id, customer_id: randomUUID(), recipient: 'buyer@example.com', locale: 'de', sealed_code }
  await mail.emit(customerCodeRequested, payload, { organizationId: mail.organizationId, aggregateId: code_id })
  await eventually(async () => expect(await mail.rows('select from messages where sealed_secret is not null')).toHaveLength(1))
  await restartWith(mail, newKey, oldKey)
  await eventually(async () => {
    expect(await read(mail, 'id, sealed_private_key as sealed from senders', senderKeyContext)).toEqual([
      expect.stringContaining('PRIVATE KEY'),
    ])
    const codes = await read(mail, 'source_id as id, sealed_secret as sealed from messages', (id) => mailSecretContext('customer_code', id))
    expect(codes).toEqual(['4F7-K2M'])
  })
  await restartWith(mail, newKey)
  await smtp.restart()
  const [sent] = await smtp.messages(1)
  expect(sent?.source).toContain('4F7-K2M')
})

test('after a change of MAIL_KEY the local mailbox opens with the new key alone, and the gauge counts no row', async () => {
  delete process.env['SMTP_URL']
  await using mail = await startMail()
  await mail.pay(mail.order())
  await mail.ended(1)
  await restartWith(mail, newKey, oldKey)
  await eventually(async () => {
    const [stored] = await read(mail, 'id, sealed_source as sealed from mailbox_messages', mailboxContext)
    expect(JSON.parse(stored ?? '')).toMatchObject({ subject: expect.any(String) })
  })
  await eventually(async () => {
    const text = await (await fetch(`http://127.0.0.1:${mail.healthPort()}/metrics`)).text()
    for (const column of ['senders.sealed_private_key', 'messages.sealed_secret', 'mailbox_messages.sealed_source'])
      expect(text).toMatch(new RegExp(`^secrets_under_old_keys{.*column="${column}".*} 0$`, 'm'))
  })
})
