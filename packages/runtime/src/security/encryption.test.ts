import { randomBytes, randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { openSecret, sealSecret } from './encryption.ts'

const options = { keys: [randomBytes(32)], context: randomUUID() }

test('decrypts an encrypted secret, does not reveal it and encrypts differently each time', () => {
  const stored = sealSecret('whsec_geheim-żółć', options)
  expect(openSecret(stored, options)).toBe('whsec_geheim-żółć')
  expect(stored).toMatch(/^aes-256-gcm\$[0-9a-f]{8}\$[\w-]+$/)
  expect(stored).not.toContain('geheim')
  expect(sealSecret('whsec_geheim-żółć', options)).not.toBe(stored)
})

test('after a rotation the older key still decrypts and the newer one encrypts', () => {
  const stored = sealSecret('whsec_x', options)
  const keys = [randomBytes(32), ...options.keys]
  expect(openSecret(stored, { ...options, keys })).toBe('whsec_x')
  expect(() => openSecret(sealSecret('whsec_x', { ...options, keys }), options)).toThrow(/sealed under key/)
})

test('another key, another context or a changed character cannot decrypt it', () => {
  const stored = sealSecret('whsec_x', options)
  expect(() => openSecret(stored, { ...options, keys: [randomBytes(32)] })).toThrow(/sealed under key/)
  expect(() => openSecret(stored, { ...options, context: randomUUID() })).toThrow()
  expect(() =>
    openSecret(
      stored.replace(/[\w-](?=[\w-]{5}$)/, (character) => (character === 'A' ? 'B' : 'A')),
      options,
    ),
  ).toThrow()
  expect(() => openSecret('whsec_x', options)).toThrow(/unknown form/)
})
