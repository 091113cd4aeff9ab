import { eventually } from '@quittance/testing/eventually'
import { scale } from '@quittance/testing/scale'
import { expect, test } from 'vitest'
import { startProcess } from './other-process.ts'
import { startSmtpServer } from './smtp-server.ts'
import { startMail, type TestMail } from './start-mail.ts'

const total = scale(400, 10_000)
const kills = 5
/** Connections to the server: the most mails that can be under way when it is killed. */
const maxInFlight = 5

const receipt = JSON.stringify({
  kind: 'receipt',
  reason: 'purchase',
  isAfterTrial: false,
  product: 'Reading room',
  currency: 'eur',
  items: [],
  subtotal: 4900,
  discount: 0,
  taxes: [],
  isTaxIncluded: false,
  total: 4900,
  orderedAt: '2026-11-23T10:00:00Z',
})

/** Stores mails that wait, as the consumers do. */
async function storeMails(mail: TestMail, count: number): Promise<void> {
  await mail.rows(
    `insert into messages (organization_id, kind, source_id, recipient_id, recipient, is_urgent, content)
     select $1::uuid, 'receipt', gen_random_uuid(), gen_random_uuid(), 'buyer' || n || '@buyer.example', false, $2::jsonb from generate_series(1, $3::int) n`,
    [mail.organizationId, receipt, count],
  )
  await mail.rows(`notify wake, 'send-due-messages'`)
}

const countById = (ids: readonly string[]) => Map.groupBy(ids, (id) => id)
const readId = (source: string) => /^message-id: (.*)$/im.exec(source)?.[1]?.trim() ?? ''

/** Asserts that each mail was accepted, under one Message-ID each; repetitions are those that were under way at a kill. */
function expectEachAccepted(sources: readonly string[], maxRepeated: number): void {
  const accepted = countById(sources.map(readId))
  expect(accepted.size).toBe(total)
  expect(sources.length - total).toBeLessThanOrEqual(maxRepeated)
  const recipients = new Set(sources.map((source) => /^to: (.*)$/im.exec(source)?.[1]?.trim()))
  expect(recipients.size).toBe(total)
}

test(`accepts every one of ${total} mails under one Message-ID while the server is killed ${kills} times [pages 86] [pages 87]`, async () => {
  await using smtp = await startSmtpServer()
  await using mail = await startMail({ smtpUrl: smtp.url })
  // More retries than kills can cost one mail.
  await storeMails(mail, total)
  for (let kill = 1; kill <= kills; kill++) {
    await eventually(() => expect(smtp.received.length).toBeGreaterThan((kill * total) / (kills + 2)), { withinMs: 300_000 })
    await smtp.kill()
    await smtp.restart()
  }
  await eventually(async () => expect(await countWaiting(mail)).toBe(0), { withinMs: 600_000 })
  expectEachAccepted(
    smtp.received.map(({ source }) => source),
    kills * maxInFlight,
  )
  const [ended] = await mail.rows<{ sent: number }>(`select count(*)::int as sent from messages where status = 'sent'`)
  expect(ended?.sent).toBe(total)
}, 1_200_000)

async function countWaiting(mail: TestMail): Promise<number> {
  const [row] = await mail.rows<{ count: number }>(`select count(*)::int as count from messages where status = 'waiting'`)
  return row?.count ?? 0
}

const leaseMs = 1_000

test('a kill while the reply to a mail is awaited delays the mail by a lease, not by the limit of the reply', async () => {
  await using smtp = await startSmtpServer()
  await using idle = await startSmtpServer()
  await using mail = await startMail({ smtpUrl: idle.url, changed: { SMTP_REPLY_TIMEOUT_MS: '600000' } })
  await idle.kill()
  smtp.behave({ kind: 'hang' })
  const killed = startProcess(mail, { smtpUrl: smtp.url, leaseMs })
  try {
    await mail.pay(mail.order())
    await eventually(() => expect(smtp.seenIds).toHaveLength(1))
  } finally {
    killed.kill('SIGKILL')
  }
  smtp.behave({ kind: 'accept' })
  const next = startProcess(mail, { smtpUrl: smtp.url, leaseMs })
  try {
    await smtp.messages(1)
  } finally {
    next.kill('SIGKILL')
  }
  expect(new Set(smtp.seenIds).size).toBe(1)
})

test(`sends every mail under one Message-ID while its process is killed ${kills} times [pages 86]`, async () => {
  await using smtp = await startSmtpServer()
  await using idle = await startSmtpServer()
  await using mail = await startMail({ smtpUrl: idle.url })
  // The replica of the test harness sends nothing: its server is not there, so it tries one mail after ever longer pauses.
  await idle.kill()
  await storeMails(mail, total)
  for (let kill = 1; kill <= kills; kill++) {
    const sender = startProcess(mail, { smtpUrl: smtp.url, leaseMs })
    try {
      await eventually(() => expect(smtp.received.length).toBeGreaterThan((kill * total) / (kills + 2)), { withinMs: 300_000 })
    } finally {
      sender.kill('SIGKILL')
    }
  }
  const last = startProcess(mail, { smtpUrl: smtp.url, leaseMs })
  try {
    await eventually(async () => expect(await countWaiting(mail)).toBe(0), { withinMs: 600_000 })
  } finally {
    last.kill('SIGKILL')
  }
  expectEachAccepted(
    smtp.received.map(({ source }) => source),
    kills * maxInFlight,
  )
}, 1_200_000)
