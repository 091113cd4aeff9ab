import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { limitConnections, startProcess } from './other-process.ts'
import { startSmtpServer, type Behavior } from './smtp-server.ts'
import { passHour, startMail } from './start-mail.ts'

/** Two retries: the outage alone has as many attempts. */
const changed = { MAIL_RETRY_SCHEDULE_S: '0.05,3600' }

test.each<[string, Behavior]>([
  ['Not this one', { kind: 'reject', code: 451, at: 'recipient' }],
  ['It may have been delivered', { kind: 'hang' }],
])('an outage uses up no retry of a mail that the server then does not accept at once: %s', async (reason, behavior) => {
  await using smtp = await startSmtpServer()
  await using mail = await startMail({ smtpUrl: smtp.url, changed })
  await smtp.kill()
  await mail.pay(mail.order())
  const isHourLater = (text: string) =>
    eventually(async () => {
      const [row] = await mail.list()
      expect(row).toMatchObject({ status: 'waiting', failure_reason: expect.stringContaining(text) })
      expect(Date.parse(row?.next_attempt_at ?? '') - Date.now()).toBeGreaterThan(3_500_000)
    })
  await isHourLater('ECONNREFUSED')
  expect(await mail.list()).toMatchObject([{ attempts: 2 }])
  smtp.behave(behavior)
  await smtp.restart()
  await passHour(mail)
  await isHourLater(reason)
  smtp.behave({ kind: 'accept' })
  await passHour(mail)
  expect(await mail.ended(1)).toMatchObject([{ status: 'sent' }])
})

test('a replica without an SMTP server during an outage of the database takes no mail over after it', async () => {
  await using slow = await startSmtpServer()
  await using other = await startSmtpServer()
  await using mail = await startMail({ smtpUrl: other.url, changed: { SMTP_REPLY_TIMEOUT_MS: '600000' } })
  await other.kill()
  slow.behave({ kind: 'hang' })
  await mail.pay(mail.order())
  await eventually(async () =>
    expect(await mail.rows('select attempts from messages where leased_until is null')).toEqual([{ attempts: 5 }]),
  )
  // Five attempts: the next one is 16 seconds later.
  const opensAt = performance.now() + 16_000
  await other.restart()
  const replica = startProcess(mail, { smtpUrl: slow.url, leaseMs: 6_000 })
  try {
    await eventually(() => expect(slow.seenIds).toHaveLength(1))
    await limitConnections(mail, 0)
    await mail.rows(`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and usename <> current_user`)
    await eventually(() => expect(performance.now()).toBeGreaterThan(opensAt - 250))
    // Later than that only if the replica started slowly.
    const isOver = 'select from messages where leased_until < now()'
    await eventually(async () => expect(await mail.rows(isOver)).toHaveLength(1))
    await limitConnections(mail, -1)
    await eventually(async () => expect(await mail.rows('select from messages where leased_until > now()')).toHaveLength(1))
    // The sixth attempt is that of the replica.
    expect(await mail.rows('select attempts from messages')).toEqual([{ attempts: 6 }])
    expect(other.seenIds).toEqual([])
    expect(slow.seenIds).toHaveLength(1)
  } finally {
    replica.kill('SIGKILL')
  }
})
