import { expect, test } from 'vitest'
import { classifyFailure, describeFailure, isAddressRejected, MessageUnanswered } from './classify-failure.ts'

const reply = (responseCode: number, command: string) => Object.assign(new Error('x'), { responseCode, command })

test.each([
  [reply(550, 'RCPT TO'), 'rejected'],
  [reply(554, 'DATA'), 'rejected'],
  [reply(552, 'MAIL FROM'), 'rejected'],
  [reply(451, 'DATA'), 'deferred'],
  [reply(450, 'RCPT TO'), 'deferred'],
  [reply(421, 'DATA'), 'unavailable'],
  [reply(530, 'MAIL FROM'), 'unavailable'],
  [reply(535, 'AUTH PLAIN'), 'unavailable'],
  [reply(554, 'CONN'), 'unavailable'],
  [reply(502, 'EHLO'), 'unavailable'],
  [Object.assign(new Error('refused'), { code: 'ECONNREFUSED', command: 'CONN' }), 'unavailable'],
  [new Error('Connection closed'), 'unavailable'],
  [null, 'unavailable'],
  [new MessageUnanswered(), 'unanswered'],
])('an error is about one mail only if the server rejected that mail: %s', (error, kind) => {
  expect(classifyFailure(error)).toBe(kind)
})

test.each([
  ['550 5.4.5 Daily SMTP relay sending limit exceeded for user.', 'RCPT TO'],
  ['550-5.4.5 Daily user sending limit exceeded.', 'DATA'],
  ['554 5.1.90 You have reached your daily limit for message recipients', 'RCPT TO'],
])('a sending limit of the operator defers mails, and proves nothing about the address: %s', (response, command) => {
  const error = Object.assign(reply(550, command), { response })
  expect([classifyFailure(error), isAddressRejected(error)]).toEqual(['deferred', false])
})

test('only a rejection of the recipient is about the address', () => {
  const rejections = [reply(550, 'RCPT TO'), reply(550, 'DATA'), reply(550, 'MAIL FROM'), reply(450, 'RCPT TO'), null]
  expect(rejections.map(isAddressRejected)).toEqual([true, false, false, false, false])
})

test.each([
  ['554 5.7.1 <a@b.example>: Relay access denied', false],
  ['550-5.7.26 The sender is not authenticated', false],
  ['550 5.1.8 The domain of the sender does not exist', false],
  ['553 5.1.7 Bad address of the sender', false],
  ['552 5.3.4 Too large for this system', false],
  ['555 5.5.4 Unknown parameter', false],
  ['550 5.1.1 No such user', true],
  ['556 5.1.10 The domain takes no mail', true],
  ['550 5.2.1 The mailbox is disabled', true],
  ['550 5.4.1 Recipient address rejected', true],
  ['550 No such user 5.7.1', true],
])('a rejection that names a policy, the system or the sender is not about the address: %s', (response, isAboutAddress) => {
  expect(isAddressRejected(Object.assign(reply(550, 'RCPT TO'), { response }))).toBe(isAboutAddress)
})

test('a reason is one bounded line', () => {
  expect(describeFailure(Object.assign(new Error('x'), { response: `550 no\r\n\u202E${'y'.repeat(900)}` }))).toMatch(/^550 no y{490,}$/)
  expect(describeFailure(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }))).toBe('ECONNREFUSED: refused')
})
