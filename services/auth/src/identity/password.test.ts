import { expect, test } from 'vitest'
import { hashPassword, verifyPassword } from './password.ts'

test('a password matches its own hash and no other', async () => {
  const hash = await hashPassword('correct horse battery staple')
  expect(await verifyPassword('correct horse battery staple', hash)).toBe(true)
  expect(await verifyPassword('correct horse battery stapler', hash)).toBe(false)
})

test('two hashes of one password differ, and neither contains it', async () => {
  const [first, second] = await Promise.all([hashPassword('swordfish'), hashPassword('swordfish')])
  expect(first).not.toBe(second)
  expect(first).not.toContain('swordfish')
})

test('the same characters in another Unicode form are the same password', async () => {
  expect(await verifyPassword('cafe\u0301 1234', await hashPassword('caf\u00e9 1234'))).toBe(true)
})

test('a hash of an unknown scheme matches nothing', async () => {
  expect(await verifyPassword('x', 'md5$abc')).toBe(false)
})
