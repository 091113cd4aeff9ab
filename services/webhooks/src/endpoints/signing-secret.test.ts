import { expect, test } from 'vitest'
import { generateSecret } from './signing-secret.ts'

test('a generated secret holds 32 random bytes in the form of the standard', () => {
  const [first, second] = [generateSecret(), generateSecret()]
  expect(first).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(first).not.toBe(second)
})
