import { createHook } from 'node:async_hooks'
import { createPublicKey, randomUUID } from 'node:crypto'
import { RequestValidationError, ResourceNotFound, ServiceUnavailable } from '@quittance/contracts/errors'
import { createMailSender, deleteMailSender, listMailSenders, verifyMailSender, type MailSender } from '@quittance/contracts/mail-senders'
import { organizationCaller, userCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { simpleParser } from 'mailparser'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { startDnsServer } from './dns-server.ts'
import { verifyDkim } from './dkim.ts'
import { startSmtpServer } from './smtp-server.ts'
import { startMail, type TestMail } from './start-mail.ts'

const smtp = await startSmtpServer()
const dns = await startDnsServer()
process.env['MAIL_DNS_SERVERS'] = dns.address
afterAll(async () => {
  await smtp[Symbol.asyncDispose]()
  await dns[Symbol.asyncDispose]()
})
beforeEach(() => {
  smtp.received.length = 0
  smtp.behave({ kind: 'accept' })
  dns.answer(true)
})

const operator = 'sales@operator.example'

/** Publishes what the sender asks for, in parts of 255 characters as a DNS has them. */
function publish({ records }: MailSender, { without }: { without?: 'dkim' | 'spf' } = {}): void {
  for (const { purpose, name, value } of records) dns.publish(name, ...(purpose === without ? [] : [value.match(/.{1,255}/g) ?? []]))
}

/** Sends a receipt and returns who it comes from. */
async function sendReceipt(mail: TestMail) {
  smtp.received.length = 0
  await mail.pay(mail.order())
  const [sent] = await smtp.messages(1)
  const source = sent?.source ?? ''
  const { from, messageId } = await simpleParser(source)
  expect(sent?.from).toBe(operator)
  expect(messageId).toMatch(/@operator\.example>$/)
  return { source, from: from?.value.map(({ address }) => address) }
}

test('mails come from the domain of a seller once the DNS shows its key and policy, and are signed for it [pages 90] [pages 91]', async () => {
  await using mail = await startMail({ smtpUrl: smtp.url })
  const seller = organizationCaller(mail.organizationId)
  const domain = `${randomUUID()}.shop.example`
  const sender = await mail.call(createMailSender, { address: `Billing@${domain}` }, seller)
  expect(sender).toMatchObject({ address: `billing@${domain}`, status: 'pending', checked_at: null })
  expect(sender.records.map(({ is_found }) => is_found)).toEqual([null, null])
  expect((await sendReceipt(mail)).from).toEqual([operator])
  const verify = () => mail.call(verifyMailSender, { id: sender.id }, seller)
  for (const without of ['dkim', 'spf'] as const) {
    publish(sender, { without })
    const checked = await verify()
    expect(checked.status).toBe('pending')
    expect(checked.records.filter(({ is_found }) => !is_found).map(({ purpose }) => purpose)).toEqual([without])
    expect((await sendReceipt(mail)).from).toEqual([operator])
  }
  publish(sender)
  expect(await verify()).toMatchObject({ status: 'verified', records: [{ is_found: true }, { is_found: true }] })
  const { source, from } = await sendReceipt(mail)
  expect(from).toEqual([`billing@${domain}`])
  const key = /p=(.*)$/.exec(sender.records[0]?.value ?? '')?.[1] ?? ''
  const signed = verifyDkim(source, createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' }))
  expect(signed).toMatchObject({ domain, isBodyIntact: true, isSignatureValid: true })
  expect(signed.fields).toContain('from')
  // A name server that does not answer proves nothing; one without the record does.
  dns.answer(false)
  await expect(verify()).rejects.toThrow(ServiceUnavailable)
  expect((await sendReceipt(mail)).from).toEqual([`billing@${domain}`])
  dns.answer(true)
  publish(sender, { without: 'dkim' })
  expect(await verify()).toMatchObject({ status: 'pending' })
  expect((await sendReceipt(mail)).from).toEqual([operator])
})

test('a mail that the SMTP server rejects from the domain of a seller comes from the operator at once', async () => {
  await using mail = await startMail({ smtpUrl: smtp.url })
  const seller = organizationCaller(mail.organizationId)
  const sender = await mail.call(createMailSender, { address: `billing@${randomUUID()}.example` }, seller)
  publish(sender)
  await mail.call(verifyMailSender, { id: sender.id }, seller)
  smtp.behave({ kind: 'reject', code: 554, at: 'data', from: sender.address, text: 'Email address is not verified' })
  expect((await sendReceipt(mail)).from).toEqual([operator])
  await eventually(async () => expect(await mail.rows('select status, attempts from messages')).toEqual([{ status: 'sent', attempts: 1 }]))
  // What is rejected from the operator too has ended.
  smtp.behave({ kind: 'reject', code: 554, at: 'data' })
  await mail.pay(mail.order())
  await eventually(async () => expect(await mail.rows(`select attempts from messages where status = 'failed'`)).toEqual([{ attempts: 1 }]))
})

test('a proof ends three days after its last check [pages 90]', async () => {
  await using mail = await startMail({ smtpUrl: smtp.url })
  const seller = organizationCaller(mail.organizationId)
  const sender = await mail.call(createMailSender, { address: `billing@${randomUUID()}.example` }, seller)
  publish(sender)
  expect(await mail.call(verifyMailSender, { id: sender.id }, seller)).toMatchObject({ status: 'verified' })
  await mail.rows(`update senders set checked_at = now() - interval '73 hours'`)
  expect((await mail.call(listMailSenders, {}, seller)).items).toMatchObject([{ id: sender.id, status: 'pending' }])
  expect((await sendReceipt(mail)).from).toEqual([operator])
})

test('domains whose name servers do not answer hold up the daily check of no other domain', async () => {
  await using mail = await startMail({ smtpUrl: smtp.url })
  const seller = organizationCaller(mail.organizationId)
  const sender = await mail.call(createMailSender, { address: `billing@${randomUUID()}.example` }, seller)
  publish(sender)
  await mail.call(verifyMailSender, { id: sender.id }, seller)
  const silent = `${randomUUID()}.example`
  dns.ignore(silent)
  await mail.rows(
    `insert into senders (id, organization_id, address, selector, public_key, sealed_private_key, checked_at, has_dkim, has_spf)
     select gen_random_uuid(), gen_random_uuid(), 'billing@n' || n || '.' || $1, 'q' || lpad(n::text, 16, '0'), 'key', 'key', now() - interval '60 hours', true, true
     from generate_series(1, 20) n`,
    [silent],
  )
  await mail.rows(`update senders set checked_at = now() - interval '2 days' where id = $1`, [sender.id])
  await mail.restart()
  await eventually(async () => {
    const [checked] = (await mail.call(listMailSenders, {}, seller)).items
    expect(Date.parse(checked?.checked_at ?? '')).toBeGreaterThan(Date.now() - 3_600_000)
  })
})

test('a check with three silent name servers ends before the deadline of the operation', async () => {
  const silent = await Promise.all([startDnsServer(), startDnsServer(), startDnsServer()])
  for (const server of silent) server.answer(false)
  process.env['MAIL_DNS_SERVERS'] = silent.map(({ address }) => address).join(',')
  try {
    await using mail = await startMail({ smtpUrl: smtp.url })
    const seller = organizationCaller(mail.organizationId)
    const sender = await mail.call(createMailSender, { address: `billing@${randomUUID()}.example` }, seller)
    await expect(mail.call(verifyMailSender, { id: sender.id }, seller)).rejects.toThrow('The name servers of the domain did not answer')
  } finally {
    process.env['MAIL_DNS_SERVERS'] = dns.address
    await Promise.all(silent.map((server) => server[Symbol.asyncDispose]()))
  }
})

test('another seller proves nothing with the records of the first one, and sees none of its senders', async () => {
  await using mail = await startMail({ smtpUrl: smtp.url })
  const seller = organizationCaller(mail.organizationId)
  const address = `billing@${randomUUID()}.example`
  const sender = await mail.call(createMailSender, { address }, seller)
  publish(sender)
  const [organizationId, user] = [randomUUID(), userCaller({ userId: randomUUID(), organizationIds: [mail.organizationId] })]
  const thief = organizationCaller(organizationId)
  const stolen = await mail.call(createMailSender, { address }, thief)
  expect(await mail.call(verifyMailSender, { id: stolen.id }, thief)).toMatchObject({
    status: 'pending',
    records: [{ is_found: false }, { is_found: true }],
  })
  await expect(mail.call(verifyMailSender, { id: sender.id }, thief)).rejects.toThrow(ResourceNotFound)
  await expect(mail.call(deleteMailSender, { id: sender.id }, thief)).rejects.toThrow(ResourceNotFound)
  expect((await mail.call(listMailSenders, {}, thief)).items.map(({ id }) => id)).toEqual([stolen.id])
  expect((await mail.call(listMailSenders, {}, user)).items.map(({ id }) => id)).toEqual([sender.id])
  await expect(mail.call(createMailSender, { address, organization_id: organizationId }, user)).rejects.toThrow(RequestValidationError)
  const rows = await mail.rows('select * from senders')
  expect(JSON.stringify(rows)).not.toMatch(/PRIVATE KEY/)
})

test('an organization has one sender; an address that is none is rejected, and deleting returns to the operator', async () => {
  await using mail = await startMail({ smtpUrl: smtp.url })
  const seller = organizationCaller(mail.organizationId)
  for (const address of [
    'shop.example',
    'a@b',
    'a@localhost',
    'a@[127.0.0.1]',
    'a@127.0.0.1',
    'a b@shop.example',
    'a@-x.example',
    '"a"@shop.example',
    'ä@shop.example',
    'a@shop.example\r\nBcc: x@y.example',
  ]) {
    await expect(mail.call(createMailSender, { address }, seller)).rejects.toMatchObject({ status: 422 })
  }
  const sender = await mail.call(createMailSender, { address: `billing@${randomUUID()}.example` }, seller)
  await expect(mail.call(createMailSender, { address: 'other@shop.example' }, seller)).rejects.toThrow(RequestValidationError)
  publish(sender)
  await mail.call(verifyMailSender, { id: sender.id }, seller)
  await mail.call(deleteMailSender, { id: sender.id }, seller)
  expect((await sendReceipt(mail)).from).toEqual([operator])
  await expect(mail.call(deleteMailSender, { id: sender.id }, seller)).rejects.toThrow(ResourceNotFound)
})

test('a request for a second sender is rejected without making a key', async () => {
  await using mail = await startMail({ smtpUrl: smtp.url })
  const seller = organizationCaller(mail.organizationId)
  let keys = 0
  const hook = createHook({ init: (_, type) => void (keys += Number(type === 'KEYPAIRGENREQUEST')) }).enable()
  try {
    await mail.call(createMailSender, { address: `billing@${randomUUID()}.example` }, seller)
    expect(keys).toBe(1)
    await expect(mail.call(createMailSender, { address: 'other@shop.example' }, seller)).rejects.toThrow(RequestValidationError)
    expect(keys).toBe(1)
  } finally {
    hook.disable()
  }
})
