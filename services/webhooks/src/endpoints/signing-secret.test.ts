import { randomBytes, randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { generateSecret, openSecret, sealSecret } from './signing-secret.ts'

const seal = { key: randomBytes(32), organizationId: randomUUID() }

test('a generated secret holds 32 random bytes in the form of the standard', () => {
  const [first, second] = [generateSecret(), generateSecret()]
  expect(first).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(first).not.toBe(second)
})

test('a sealed secret opens again, shows nothing of itself and differs each time', () => {
  const stored = sealSecret('whsec_geheim-żółć', seal)
  expect(openSecret(stored, seal)).toBe('whsec_geheim-żółć')
  expect(stored).toMatch(/^aes-256-gcm\$[0-9a-f]{8}\$[\w-]+$/)
  expect(stored).not.toContain('geheim')
  expect(sealSecret('whsec_geheim-żółć', seal)).not.toBe(stored)
})

test('another key, another organization or a changed letter does not open it', () => {
  const stored = sealSecret('whsec_x', seal)
  expect(() => openSecret(stored, { ...seal, key: randomBytes(32) })).toThrow(/sealed under key/)
  expect(() => openSecret(stored, { ...seal, organizationId: randomUUID() })).toThrow()
  expect(() =>
    openSecret(
      stored.replace(/\w(?=[\w-]{5}$)/, (letter) => (letter === 'A' ? 'B' : 'A')),
      seal,
    ),
  ).toThrow()
  expect(() => openSecret('whsec_x', seal)).toThrow(/unknown form/)
})
