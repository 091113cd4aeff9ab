import { randomBytes, randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { createOptOutToken, openOptOutToken } from './opt-out-token.ts'

const [key, other] = [randomBytes(32), randomBytes(32)]

test('a token leads back to its mail, also after the key was replaced, and no other text does', () => {
  const id = randomUUID()
  const token = createOptOutToken(id, key)
  expect(createOptOutToken(id, key)).toBe(token)
  expect(openOptOutToken(token, [key])).toBe(id)
  expect(openOptOutToken(token, [other, key])).toBe(id)
  expect(openOptOutToken(token, [other])).toBeNull()
  const forged = createOptOutToken(randomUUID(), other)
  for (const wrong of ['', 'qt_un_', `${token}A`, token.slice(0, -2), token.replace('qt_un_', ''), forged])
    expect(openOptOutToken(wrong, [key])).toBeNull()
})
