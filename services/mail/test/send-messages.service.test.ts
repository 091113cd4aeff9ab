import { randomUUID } from 'node:crypto'
import { customerDeleted, type Customer } from '@quittance/contracts/customers'
import { orderRefunded, refundCreated, refundUpdated, type Refund } from '@quittance/contracts/refunds'
import { buildContractExample } from '@quittance/contracts/schema-example'
import { bindValues, statement } from '@quittance/sql/statement'
import { eventually } from '@quittance/testing/eventually'
import { simpleParser } from 'mailparser'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { renewStatement } from '../src/sending/record-result.ts'
import { startSmtpServer } from './smtp-server.ts'
import { passHour, startMail } from './start-mail.ts'

const smtp = await startSmtpServer()
afterAll(() => smtp[Symbol.asyncDispose]())
beforeEach(() => {
  smtp.received.length = 0
  smtp.seenIds.length = 0
  smtp.behave({ kind: 'accept' })
})

/** Waits for accepted messages and parses them. */
async function readMessages(count: number) {
  const messages = await smtp.messages(count)
  return Promise.all(messages.map(async (message) => ({ ...message, mail: await simpleParser(message.source) })))
}

const start = (options = {}) => startMail({ smtpUrl: smtp.url, ...options })

test('sends one receipt for a paid order; HTML and text state the same sums [pages 85]', async () => {
  await using mail = await start()
  const order = mail.order()
  await mail.pay(order)
  const [sent] = await readMessages(1)
  expect(sent).toMatchObject({ from: 'sales@operator.example', to: [order.customer.email] })
  expect(sent?.mail.from?.value).toEqual([{ name: 'Harbour Books', address: 'sales@operator.example' }])
  expect(sent?.mail.replyTo?.value).toEqual([{ name: 'Harbour Books', address: 'help@harbour.example' }])
  expect(sent?.mail.headers.get('auto-submitted')).toBe('auto-generated')
  const sums = ['$44.10', '$8.82', '$52.92'].filter((sum) => sent?.mail.text?.includes(sum))
  expect(sums).not.toEqual([])
  for (const sum of sums) expect(sent?.mail.html).toContain(sum)
  await mail.ended(1)
})

test('a receipt states no rate that the seller does not charge: a buyer who owes the tax is charged none', async () => {
  await using mail = await start()
  const rate = { name: 'VAT', country: 'PL', state: null, percentage: 23, taxable_amount: 4_410, amount: 0 }
  const taxes = [{ ...rate, reverse_charge: true }]
  await mail.pay(mail.order({ taxes, tax_amount: 0, discount_amount: 0, subtotal_amount: 4_410, net_amount: 4_410, total_amount: 4_410 }))
  const [sent] = await readMessages(1)
  expect(sent?.mail.text).toContain('Tax: VAT, 0%: $0.00')
})

test('one order has one row and one mail, however often its event arrives and under however many ids [pages 86]', async () => {
  await using mail = await start()
  const order = mail.order()
  const id = await mail.pay(order)
  await mail.pay(order, { id })
  await mail.pay(order)
  const other = mail.order()
  await mail.pay(other)
  await mail.ended(2)
  expect(new Set(smtp.received.map(({ to }) => to[0]))).toEqual(new Set([order.customer.email, other.customer.email]))
  expect(smtp.received).toHaveLength(2)
})

test('retries after a temporary rejection, with the same Message-ID and the same bytes [pages 86] [pages 87]', async () => {
  await using mail = await start()
  smtp.behave({ kind: 'reject', code: 451, at: 'data' })
  await mail.pay(mail.order())
  await eventually(() => expect(smtp.seenIds.length).toBeGreaterThan(1))
  smtp.behave({ kind: 'accept' })
  await smtp.messages(1)
  expect(new Set(smtp.seenIds).size).toBe(1)
  const [ended] = await mail.ended(1)
  expect(ended).toMatchObject({ status: 'sent', failure_reason: null })
})

test('a lease renewal that arrives after its attempt has failed delays no further attempt', async () => {
  await using mail = await start()
  smtp.behave({ kind: 'reject', code: 451, at: 'data' })
  await mail.pay(mail.order())
  const postpone = `update messages set next_attempt_at = now() + interval '1 hour'
    where status = 'waiting' and leased_until is null and last_error is not null returning id, attempts`
  const [failed] = await eventually(async () => {
    const rows = await mail.rows<{ id: string; attempts: number }>(postpone)
    expect(rows).toHaveLength(1)
    return rows
  })
  const renewal = statement('renewal', renewStatement)
  await mail.rows(renewal.text, bindValues(renewal, { ...failed, lease: 30_000 }))
  expect(await mail.rows('select leased_until from messages where id = $1', [failed?.id])).toEqual([{ leased_until: null }])
})

test('ends a mail that is rejected for good; the seller sees the reply of the server [pages 88]', async () => {
  await using mail = await start()
  smtp.behave({ kind: 'reject', code: 550, at: 'recipient' })
  await mail.pay(mail.order())
  const [ended] = await mail.ended(1)
  expect(ended).toMatchObject({ status: 'failed', attempts: 1, failure_reason: expect.stringContaining('550'), next_attempt_at: null })
  smtp.behave({ kind: 'accept' })
  await mail.pay(mail.order())
  await smtp.messages(1)
})

test.each([{ kind: 'hang' }, { kind: 'drop' }] as const)(
  'repeats a message that was not answered, with one Message-ID: $kind [pages 86] [pages 87]',
  async (behavior) => {
    await using mail = await start()
    smtp.behave(behavior)
    await mail.pay(mail.order())
    await eventually(() => expect(smtp.seenIds.length).toBeGreaterThan(0))
    smtp.behave({ kind: 'accept' })
    if (behavior.kind === 'hang') await passHour(mail)
    await smtp.messages(1)
    expect(new Set(smtp.seenIds).size).toBe(1)
    await mail.ended(1)
  },
)

test('sends a mail once whose result the database refuses to record at first', async () => {
  await using mail = await start()
  await mail.rows(`create sequence refusals`)
  await mail.rows(`create function refuse() returns trigger language plpgsql security definer as $$ begin
    if nextval('public.refusals') <= 2 then raise exception 'canceling statement due to lock timeout' using errcode = '55P03'; end if;
    return new;
  end $$`)
  await mail.rows(`create trigger refuse before update on messages for each row when (new.status = 'sent') execute function refuse()`)
  await mail.pay(mail.order())
  expect(await mail.ended(1)).toMatchObject([{ status: 'sent', attempts: 1 }])
  expect(smtp.seenIds).toHaveLength(1)
})

test('keeps mails while the server is unavailable and sends each once it is back [pages 87]', async () => {
  await using mail = await start()
  await smtp.kill()
  for (let count = 0; count < 12; count++) await mail.pay(mail.order())
  const waiting = await eventually(async () => {
    const mails = await mail.list()
    expect(mails).toHaveLength(12)
    expect(mails.some(({ failure_reason }) => failure_reason?.includes('ECONNREFUSED'))).toBe(true)
    return mails
  })
  // Mails behind those that were tried have not used up attempts.
  expect(waiting.filter(({ attempts }) => attempts === 0).length).toBeGreaterThan(0)
  await smtp.restart()
  await smtp.messages(12)
  await mail.ended(12)
})

test('gives a mail up after five days without a server, not after the last retry', async () => {
  await using mail = await start()
  await smtp.kill()
  await mail.pay(mail.order())
  const used = `update messages set failures = 6 where status = 'waiting' and leased_until is null and attempts = 1 returning id`
  await eventually(async () => expect(await mail.rows(used)).toHaveLength(1))
  await eventually(async () =>
    expect(await mail.rows('select status, failures from messages where attempts > 1 and leased_until is null')).toEqual([
      { status: 'waiting', failures: 6 },
    ]),
  )
  await mail.rows(`update messages set created_at = created_at - interval '5 days'`)
  expect(await mail.ended(1)).toMatchObject([{ status: 'failed', failure_reason: expect.stringContaining('ECONNREFUSED') }])
  await smtp.restart()
})

test('leaves a mail of a kind that it does not know to a replica of a later release', async () => {
  await using mail = await start()
  await mail.rows(
    `insert into messages (organization_id, kind, source_id, recipient_id, recipient, is_urgent, content)
     values ($1, 'parcel_sent', gen_random_uuid(), gen_random_uuid(), 'buyer@buyer.example', false, '{"kind":"parcel_sent"}')`,
    [mail.organizationId],
  )
  await mail.rows(`notify wake, 'send-due-messages'`)
  await eventually(async () => expect((await mail.list())[0]?.attempts).toBeGreaterThan(1))
  expect((await mail.list())[0]).toMatchObject({ failure_reason: 'This release does not know the kind of the mail' })
})

test('does not send the kinds that the seller switched off [pages 92]', async () => {
  await using mail = await start()
  await mail.describeSeller({ switchedOff: ['order_confirmation'] })
  await mail.pay(mail.order())
  const [disabled] = await mail.ended(1)
  expect(disabled?.status).toBe('disabled')
  await mail.pay(mail.order({ billing_reason: 'subscription_create' }))
  await smtp.messages(1)
})

test('waits for a seller that is not known yet', async () => {
  await using mail = await start({ isDescribed: false })
  await mail.pay(mail.order())
  await eventually(async () => expect((await mail.list())[0]).toMatchObject({ failure_reason: 'The organization is not known yet' }))
  await mail.describeSeller()
  await smtp.messages(1)
})

test('the wait for a seller uses up no retry for five days, also longer than the schedule', async () => {
  await using mail = await start({ isDescribed: false })
  await mail.pay(mail.order())
  const used = `update messages set created_at = created_at - interval '4 days 23 hours' where attempts > 7 and status = 'waiting' returning failures`
  await eventually(async () => expect(await mail.rows(used)).toEqual([{ failures: 0 }]))
  await mail.describeSeller()
  await smtp.messages(1)
})

test('gives a mail up whose seller has not arrived five days and the last retry later', async () => {
  await using mail = await start({ isDescribed: false })
  await mail.pay(mail.order())
  await eventually(async () => expect((await mail.list())[0]?.attempts).toBeGreaterThan(0))
  await mail.rows(`update messages set created_at = created_at - interval '5 days'`)
  expect(await mail.ended(1)).toMatchObject([{ status: 'failed', failure_reason: 'The organization is not known yet' }])
})

test('sends one mail about a refund to the address that a later event brings', async () => {
  await using mail = await start()
  const order = mail.order()
  const about = { organizationId: mail.organizationId, aggregateId: order.id }
  const example = buildContractExample(refundCreated.payload) as Refund
  const refund = {
    ...example,
    id: randomUUID(),
    customer_id: order.customer_id,
    order_id: order.id,
    amount: 1000,
    tax_amount: 200,
    currency: 'usd',
  }
  await mail.emit(refundCreated, { ...refund, status: 'pending' }, about)
  await mail.emit(refundUpdated, { ...refund, status: 'succeeded' }, about)
  await mail.emit(refundUpdated, { ...refund, status: 'succeeded' }, about)
  await mail.emit(orderRefunded, order, about)
  const [sent] = await readMessages(1)
  expect(sent?.to).toEqual([order.customer.email])
  expect(sent?.mail.text).toContain('$12.00')
  await mail.ended(1)
})

test('writes in the language of the recipient, right-to-left where it is', async () => {
  await using mail = await start()
  await mail.pay(mail.order({}, { locale: 'he' }))
  await mail.pay(mail.order({}, { locale: 'zh-TW' }))
  await mail.pay(mail.order({}, { locale: 'tlh' }))
  const html = (await readMessages(3)).map(({ mail: { html: text } }) => text || '')
  const opened = html.map((text) => /<html lang="([^"]*)" dir="([^"]*)"/.exec(text)?.slice(1).join(' '))
  expect(new Set(opened)).toEqual(new Set(['en ltr', 'he rtl', 'zh-TW ltr']))
})

test('sends no mail about an event from before the installation', async () => {
  await using mail = await start()
  await mail.rows(`update installation set installed_at = now() + interval '1 hour'`)
  const early = await mail.pay(mail.order())
  await eventually(async () => expect(await mail.rows('select from inbox_messages where message_id = $1', [early])).toHaveLength(1))
  await mail.rows(`update installation set installed_at = now() - interval '1 hour'`)
  await mail.pay(mail.order())
  await mail.ended(1)
  expect(smtp.received).toHaveLength(1)
})

test('removes the address of a deleted customer from every row; later events bring no mail [pages 96]', async () => {
  await using mail = await start()
  const order = mail.order()
  await mail.pay(order)
  await mail.ended(1)
  smtp.behave({ kind: 'reject', code: 451, at: 'data' })
  const second = mail.order({ customer_id: order.customer_id, customer: order.customer })
  await mail.pay(second)
  await eventually(() => expect(smtp.seenIds.length).toBeGreaterThan(1))
  const deleted: Customer = { ...order.customer, deleted_at: new Date().toISOString() }
  await mail.emit(customerDeleted, deleted, { organizationId: mail.organizationId, aggregateId: deleted.id })
  await eventually(async () => expect(new Set((await mail.list()).map(({ status }) => status))).toEqual(new Set(['cancelled', 'sent'])))
  const late = await mail.pay(mail.order({ customer_id: order.customer_id, customer: order.customer }))
  await eventually(async () => expect(await mail.rows('select from inbox_messages where message_id = $1', [late])).toHaveLength(1))
  for (const table of [
    'messages',
    'customers',
    'mailbox_messages',
    'dead_letters',
    'parked_messages',
    'outbox_messages',
    'inbox_messages',
  ]) {
    const rows = await mail.rows(`select to_jsonb(t)::text as text from ${table} t`)
    expect(rows.filter(({ text }) => text.includes(order.customer.email))).toEqual([])
  }
})

const hostile = 'Eve\r\nBcc: victim@elsewhere.example\r\n\r\n<script>alert(1)</script>\u202Egnp.exe <img src=x onerror=alert(2)> "quoted"'

test('hostile text in every field adds no header and no markup [pages 124]', async () => {
  await using mail = await start()
  await mail.describeSeller({ name: hostile, slug: '../../"><script>', email: 'a@b.example\r\nBcc: victim@elsewhere.example' })
  const item = { ...mail.order().items[0], label: hostile } as never
  await mail.pay(mail.order({ description: hostile, items: [item], taxes: [{ ...mail.order().taxes[0], name: hostile } as never] }))
  const [sent] = await readMessages(1)
  expect(sent?.to).toHaveLength(1)
  expect(sent?.mail.headers.has('bcc')).toBe(false)
  expect(sent?.mail.replyTo).toBeUndefined()
  expect(sent?.mail.subject).not.toMatch(/[\r\n\u202E]/)
  expect(sent?.mail.html || '').not.toMatch(/<(script|img)/i)
  expect(`${sent?.mail.text} ${sent?.mail.html || ''}`).not.toContain('\u202E')
})

test('text that looks like an encoded header is shown as it is, not decoded [pages 124]', async () => {
  await using mail = await start()
  await mail.describeSeller({ name: '=?utf-8?Q?security=40bank.example=E2=80=AE?=' })
  await mail.pay(mail.order())
  const [sent] = await readMessages(1)
  const { subject, from, replyTo } = sent?.mail ?? {}
  for (const shown of [subject, from?.value[0]?.name, [replyTo].flat()[0]?.value[0]?.name]) {
    expect(shown).toContain('utf-8?Q?security=40bank.example=E2=80=AE?=')
    expect(shown).not.toMatch(/[@\u202E]/)
  }
})

test('sends nothing to an address that could name a second recipient', async () => {
  await using mail = await start()
  await mail.pay(mail.order({}, { email: 'a@buyer.example, victim@elsewhere.example' }))
  await mail.pay(mail.order({}, { email: 'a@buyer.example>\r\nRCPT TO:<victim@elsewhere.example' }))
  const ended = await mail.ended(2)
  expect(ended.map(({ status, failure_reason }) => `${status}: ${failure_reason}`)).toEqual(
    Array(2).fill('failed: The recipient is not an e-mail address'),
  )
  expect(smtp.received).toEqual([])
})
