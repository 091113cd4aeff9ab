import { eventually } from '@quittance/testing/eventually'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { limitConnections } from './other-process.ts'
import { startSmtpServer } from './smtp-server.ts'
import { passHour, startMail, type TestMail } from './start-mail.ts'

const smtp = await startSmtpServer()
afterAll(() => smtp[Symbol.asyncDispose]())
beforeEach(() => {
  smtp.received.length = 0
  smtp.seenIds.length = 0
  smtp.behave({ kind: 'accept' })
})

const start = (changed: { SMTP_TIMEOUT_MS: string; SMTP_REPLY_TIMEOUT_MS: string }) => startMail({ smtpUrl: smtp.url, changed })

const patient = { SMTP_TIMEOUT_MS: '500', SMTP_REPLY_TIMEOUT_MS: '600000' }
const impatient = { SMTP_TIMEOUT_MS: '500', SMTP_REPLY_TIMEOUT_MS: '500' }

/** Waits until the mail is repeated in an hour. */
const unanswered = (mail: TestMail) =>
  eventually(async () => {
    const [row] = await mail.list()
    expect(row?.failure_reason).toContain('It may have been delivered')
    expect(Date.parse(row?.next_attempt_at ?? '') - Date.now()).toBeGreaterThan(3_500_000)
    return row
  })

test('sends a mail once to a server that replies later than the lease and SMTP_TIMEOUT_MS', async () => {
  await using mail = await start(patient)
  smtp.behave({ kind: 'slow', byMs: 2_500 })
  await mail.pay(mail.order())
  expect(await mail.ended(1)).toMatchObject([{ status: 'sent', attempts: 1 }])
  expect(smtp.seenIds).toHaveLength(1)
})

test('repeats a mail that the server has and did not answer once, after an hour; others are sent', async () => {
  await using mail = await start(impatient)
  smtp.behave({ kind: 'hang' })
  await mail.pay(mail.order())
  expect(await unanswered(mail)).toMatchObject({ status: 'waiting', attempts: 1 })
  smtp.behave({ kind: 'accept' })
  const other = mail.order()
  await mail.pay(other)
  expect((await smtp.messages(1)).map(({ to }) => to)).toEqual([[other.customer.email]])
  smtp.behave({ kind: 'hang' })
  await passHour(mail)
  await mail.ended(2)
  expect((await mail.list()).map(({ status, attempts }) => `${status} ${attempts}`).toSorted()).toEqual(['failed 2', 'sent 1'])
  expect(smtp.seenIds).toHaveLength(3)
})

test('after an outage, a mail whose reply takes long does not hold back the others', async () => {
  await using mail = await start(patient)
  smtp.behave({ kind: 'stall' })
  await mail.pay(mail.order())
  await eventually(async () => expect((await mail.list())[0]?.failure_reason).toContain('did not take the message in time'))
  smtp.behave({ kind: 'hang' })
  const [slow, other] = [mail.order(), mail.order()]
  await mail.pay(slow)
  await eventually(() => expect(smtp.seenIds).toHaveLength(1))
  smtp.behave({ kind: 'accept' })
  await mail.pay(other)
  await eventually(() => expect(smtp.received.flatMap(({ to }) => to)).toContain(other.customer.email))
})

test('a mail that waits for its reply is not sent again after its lease ended because the database was unavailable', async () => {
  await using mail = await start(patient)
  smtp.behave({ kind: 'hang' })
  await mail.pay(mail.order())
  await eventually(() => expect(smtp.seenIds).toHaveLength(1))
  smtp.behave({ kind: 'accept' })
  const readLease = (isOver: boolean) =>
    eventually(async () => {
      const lease = await mail.rows(`select leased_until < now() as is_over from messages where status = 'waiting' and attempts = 1`)
      expect(lease).toEqual([{ is_over: isOver }])
    })
  // Claims succeed before renewals once the database is back.
  await mail.rows(`create function refuse() returns trigger language plpgsql as $$ begin
    raise exception 'canceling statement due to lock timeout' using errcode = '55P03';
  end $$`)
  await mail.rows(`create trigger refuse before update on messages for each row
    when (new.attempts = old.attempts and new.leased_until > old.leased_until) execute function refuse()`)
  // The connections of the test are those of the superuser, which the limit does not concern.
  await limitConnections(mail, 0)
  await mail.rows(`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and usename <> current_user`)
  await readLease(true)
  await limitConnections(mail, -1)
  const other = mail.order()
  await mail.pay(other)
  expect((await smtp.messages(1)).map(({ to }) => to)).toEqual([[other.customer.email]])
  await mail.rows('drop trigger refuse on messages')
  await readLease(false)
  expect(smtp.seenIds).toHaveLength(2)
})

test('a stop does not wait for the reply to a mail, and the mail is not sent again at the start', async () => {
  await using mail = await start(patient)
  smtp.behave({ kind: 'hang' })
  await mail.pay(mail.order())
  await eventually(() => expect(smtp.seenIds).toHaveLength(1))
  smtp.behave({ kind: 'accept' })
  await mail.restart()
  await unanswered(mail)
  const other = mail.order()
  await mail.pay(other)
  expect((await smtp.messages(1)).map(({ to }) => to)).toEqual([[other.customer.email]])
  expect(smtp.seenIds).toHaveLength(2)
})

test('waits only SMTP_TIMEOUT_MS for a server that is silent before it has the mail', async () => {
  await using mail = await start(patient)
  smtp.behave({ kind: 'stall' })
  await mail.pay(mail.order())
  await eventually(async () => expect((await mail.list())[0]?.failure_reason).toContain('did not take the message in time'))
  smtp.behave({ kind: 'accept' })
  await smtp.messages(1)
  expect(await mail.ended(1)).toMatchObject([{ status: 'sent' }])
})
