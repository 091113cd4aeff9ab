import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
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
