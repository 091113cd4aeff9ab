import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { hashPassword, isOutdatedHash, verifyPassword } from './password.ts'

beforeAll(() => {
  vi.stubEnv('SECRETS_KEY', Buffer.alloc(32, 7).toString('base64'))
  // Vitest sets its own.
  vi.stubEnv('BASE_URL', undefined)
})

afterAll(() => vi.unstubAllEnvs())

/** Hash of `swordfish` with a quarter of the cost. */
const cheaper = 'scrypt$8192$8$3$MDEyMzQ1Njc4OWFiY2RlZg$sXn8INM6clFDn5NFmQ2VS0eSUDBxfHOIZ3qVMxekDCY'

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

test('a hash has the recommended cost, and one of another cost is valid and outdated', async () => {
  const hash = await hashPassword('swordfish')
  expect(hash).toMatch(/^scrypt\$32768\$8\$3\$/)
  expect([isOutdatedHash(hash), isOutdatedHash(cheaper)]).toEqual([false, true])
  expect([await verifyPassword('swordfish', cheaper), await verifyPassword('swordfis', cheaper)]).toEqual([true, false])
})

test('a password that goes first is compared before all that wait', async () => {
  const compared: string[] = []
  const compare = (name: string, isFirst: boolean) => verifyPassword('swordfish', cheaper, { isFirst }).then(() => compared.push(name))
  const others = Array.from({ length: 40 }, (_, index) => compare(`other ${index}`, false))
  await Promise.all([...others, compare('known', true)])
  // It starts third. It ends later if its thread gets less time than the other one.
  expect(compared.indexOf('known')).toBeLessThan(20)
})
