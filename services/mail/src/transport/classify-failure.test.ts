import { expect, test } from 'vitest'
import { classifyFailure, describeFailure, isAddressRejected } from './classify-failure.ts'

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
])('an error is about one mail only if the server rejected that mail: %s', (error, kind) => {
  expect(classifyFailure(error)).toBe(kind)
})

test('only a rejection of the recipient is about the address', () => {
  const rejections = [reply(550, 'RCPT TO'), reply(550, 'DATA'), reply(550, 'MAIL FROM'), reply(450, 'RCPT TO'), null]
  expect(rejections.map(isAddressRejected)).toEqual([true, false, false, false, false])
})

test('a reason is one bounded line', () => {
  expect(describeFailure(Object.assign(new Error('x'), { response: `550 no\r\n\u202E${'y'.repeat(900)}` }))).toMatch(/^550 no y{490,}$/)
  expect(describeFailure(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }))).toBe('ECONNREFUSED: refused')
})
