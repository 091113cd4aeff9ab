import { randomBytes, randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { openSecret, sealSecret } from './seal.ts'

const seal = { keys: [randomBytes(32)], context: randomUUID() }

test('a sealed secret opens again, shows nothing of itself and differs each time', () => {
  const stored = sealSecret('whsec_geheim-żółć', seal)
  expect(openSecret(stored, seal)).toBe('whsec_geheim-żółć')
  expect(stored).toMatch(/^aes-256-gcm\$[0-9a-f]{8}\$[\w-]+$/)
  expect(stored).not.toContain('geheim')
  expect(sealSecret('whsec_geheim-żółć', seal)).not.toBe(stored)
})

test('after a change of keys the older one still opens, and the newer one seals', () => {
  const stored = sealSecret('whsec_x', seal)
  const keys = [randomBytes(32), ...seal.keys]
  expect(openSecret(stored, { ...seal, keys })).toBe('whsec_x')
  expect(() => openSecret(sealSecret('whsec_x', { ...seal, keys }), seal)).toThrow(/sealed under key/)
})

test('another key, another context or a changed letter does not open it', () => {
  const stored = sealSecret('whsec_x', seal)
  expect(() => openSecret(stored, { ...seal, keys: [randomBytes(32)] })).toThrow(/sealed under key/)
  expect(() => openSecret(stored, { ...seal, context: randomUUID() })).toThrow()
  expect(() =>
    openSecret(
      stored.replace(/[\w-](?=[\w-]{5}$)/, (letter) => (letter === 'A' ? 'B' : 'A')),
      seal,
    ),
  ).toThrow()
  expect(() => openSecret('whsec_x', seal)).toThrow(/unknown form/)
})
