import { randomUUID } from 'node:crypto'
import { ResourceNotFound } from '@quittance/contracts/errors'
import { createMailOptOut } from '@quittance/contracts/mails'
import { buildContractExample } from '@quittance/contracts/schema-example'
import {
  type AnnouncedSubscription,
  subscriptionRenewalAhead,
  subscriptionTrialEnding,
} from '@quittance/contracts/subscription-announcements'
import { subscriptionCanceled } from '@quittance/contracts/subscriptions'
import { eventually } from '@quittance/testing/eventually'
import { simpleParser } from 'mailparser'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { sampleData, sampleMail, addresses } from './sample-mails.ts'
import { buildContent } from '../src/content/build-content.ts'
import { isOptional } from '../src/messages/email-settings.ts'
import { composeMessage } from '../src/rendering/compose-message.ts'
import { startSmtpServer } from './smtp-server.ts'
import { startMail, type TestMail } from './start-mail.ts'

const anonymous = { kind: 'anonymous' } as const
const smtp = await startSmtpServer()
afterAll(() => smtp[Symbol.asyncDispose]())
beforeEach(() => void (smtp.received.length = 0))

/** Announces the renewal of a yearly subscription of a new customer, or of the same one. */
function createReminders(mail: TestMail) {
  const example = buildContractExample(subscriptionRenewalAhead.payload) as AnnouncedSubscription
  const { customer } = mail.order()
  const subscription: AnnouncedSubscription = {
    ...example,
    id: randomUUID(),
    customer,
    customer_id: customer.id,
    status: 'active',
    is_paid_by_transfer: false,
    recurring_interval: 'year',
    current_period_end: '2026-12-24T10:00:00Z',
    currency: 'usd',
    amount: 2450,
    next_amount: 4900,
  }
  const about = { organizationId: mail.organizationId, aggregateId: customer.id }
  return {
    remind: (next: Partial<AnnouncedSubscription> = {}) => mail.emit(subscriptionRenewalAhead, { ...subscription, ...next }, about),
    endTrial: (next: Partial<AnnouncedSubscription> = {}) =>
      mail.emit(subscriptionTrialEnding, { ...subscription, ...next, status: 'trialing' }, about),
    cancel: () => mail.emit(subscriptionCanceled, { ...subscription, cancel_at_period_end: true }, about),
  }
}

const readToken = (source: string) =>
  /^List-Unsubscribe: <http:\/\/127\.0\.0\.1:8080\/unsubscribe\/(qt_un_[\w-]+)>\r$/m.exec(source.replaceAll(/\r\n[ \t]+/g, ' '))?.[1]

test('a reminder has the one-click request, which stops reminders to this customer and no other mail [pages 93]', async () => {
  await using mail = await startMail({ smtpUrl: smtp.url })
  const [ada, bob] = [createReminders(mail), createReminders(mail)]
  await ada.remind()
  const [sent] = await smtp.messages(1)
  const { subject, text, headers } = await simpleParser(sent?.source ?? '')
  expect(subject).toMatch(/renews on/)
  expect(headers.get('list')).toMatchObject({ 'unsubscribe-post': { name: 'List-Unsubscribe=One-Click' } })
  const token = readToken(sent?.source ?? '') ?? ''
  expect(text).toContain(`/unsubscribe/${token}`)
  expect(text).toContain('/harbour/cancel')
  // The discount of this period ends with it.
  expect(text).toContain('$49.00')
  expect(text).not.toContain('$24.50')
  await mail.call(createMailOptOut, { token }, anonymous)
  // A mail program may repeat it.
  await mail.call(createMailOptOut, { token }, anonymous)
  await ada.remind()
  await eventually(async () =>
    expect((await mail.list()).map(({ kind, status }) => `${kind} ${status}`)).toContain('renewal_ahead disabled'),
  )
  await ada.cancel()
  await smtp.messages(2)
  await bob.remind()
  await smtp.messages(3)
  expect(smtp.received.map(({ source }) => readToken(source) !== undefined)).toEqual([true, false, true])
  expect(await mail.rows('select kind from opt_outs')).toEqual([{ kind: 'renewal_ahead' }])
})

test('the end of a trial is announced by a mail with its own opt-out and setting [payments 73]', async () => {
  await using mail = await startMail({ smtpUrl: smtp.url })
  const [ada, bob] = [createReminders(mail), createReminders(mail)]
  await ada.endTrial()
  const [sent] = await smtp.messages(1)
  const { subject, text } = await simpleParser(sent?.source ?? '')
  expect(subject).toMatch(/Your trial of .+ ends on/)
  expect(text?.replaceAll(/\s+/g, ' ')).toContain('Without one the subscription ends, and nothing is charged.')
  await mail.call(createMailOptOut, { token: readToken(sent?.source ?? '') ?? '' }, anonymous)
  await ada.endTrial()
  // Reminders of renewals are another kind.
  await ada.remind()
  await smtp.messages(2)
  await mail.describeSeller({ switchedOff: ['subscription_trial_conversion_reminder'] })
  await bob.endTrial()
  const statuses = (await mail.ended(4)).map(({ kind, status }) => `${kind} ${status}`)
  expect(statuses.toSorted()).toEqual(['renewal_ahead sent', 'trial_ending disabled', 'trial_ending disabled', 'trial_ending sent'])
  expect(await mail.rows('select kind from opt_outs')).toEqual([{ kind: 'trial_ending' }])
})

test('a reminder states product and price that are planned for the next period; nothing is announced for a free one', async () => {
  await using mail = await startMail({ smtpUrl: smtp.url })
  const ada = createReminders(mail)
  const next_product = { id: randomUUID(), name: 'Quiet room', currency: 'eur', recurring_interval: 'month' } as const
  for (const announce of [ada.remind, ada.endTrial]) {
    await announce({ next_amount: 0, next_product })
    await announce({ next_amount: 700, next_product })
  }
  const texts = await Promise.all((await smtp.messages(2)).map(async ({ source }) => (await simpleParser(source)).text ?? ''))
  for (const text of texts) expect(text).toMatch(/€7\.00 (per|a|every) month/)
  expect(texts.filter((text) => text.includes('Quiet room'))).toHaveLength(1)
  expect(await mail.ended(2)).toHaveLength(2)
})

test('a reminder states the total that its event announces, and the price', async () => {
  await using mail = await startMail({ smtpUrl: smtp.url })
  const ada = createReminders(mail)
  for (const announce of [ada.remind, ada.endTrial]) await announce({ next_total_amount: 5831 })
  const texts = await Promise.all((await smtp.messages(2)).map(async ({ source }) => (await simpleParser(source)).text ?? ''))
  for (const text of texts) expect(text.replaceAll(/\s+/g, ' ')).toMatch(/\$58\.31 is charged.*\$49\.00/)
})

test('a token that is wrong or belongs to a mail that is gone is not found, and nothing is stored', async () => {
  await using mail = await startMail({ smtpUrl: smtp.url })
  await createReminders(mail).remind()
  const [sent] = await smtp.messages(1)
  const token = readToken(sent?.source ?? '') ?? ''
  for (const wrong of ['', 'qt_un_', token.toUpperCase(), `${token}x`, `${token.slice(0, -3)}AAA`]) {
    await expect(mail.call(createMailOptOut, { token: wrong }, anonymous)).rejects.toThrow(ResourceNotFound)
  }
  await mail.ended(1)
  await mail.rows('delete from messages')
  await expect(mail.call(createMailOptOut, { token }, anonymous)).rejects.toThrow(ResourceNotFound)
  expect(await mail.rows('select from opt_outs')).toEqual([])
})

test('a seller switches reminders off with its setting [pages 92]', async () => {
  await using mail = await startMail({ smtpUrl: smtp.url })
  await mail.describeSeller({ switchedOff: ['subscription_renewal_reminder'] })
  await createReminders(mail).remind()
  expect((await mail.ended(1)).map(({ kind, status }) => `${kind} ${status}`)).toEqual(['renewal_ahead disabled'])
})

test.each(sampleData)('one-click unsubscribe is on optional kinds alone: $kind [pages 93]', async (data) => {
  const content = buildContent(sampleMail(data, 'en'), addresses)
  const optOutUrl = isOptional(data.kind) ? 'https://shop.example/unsubscribe/qt_un_x' : null
  const head = {
    id: randomUUID(),
    createdAt: new Date(0),
    recipient: 'ada@example.com',
    from: 'sales@operator.example',
    idDomain: 'operator.example',
  }
  const { source, text } = await composeMessage(content, { ...head, replyTo: null, signature: null, optOutUrl })
  const has = data.kind === 'renewal_ahead' || data.kind === 'trial_ending'
  expect([/^list-unsubscribe/im.test(source.toString()), text.includes('/unsubscribe/')]).toEqual([has, has])
})
