import { randomBytes, randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { buildOtherKeysPattern, openSecret, resealSecrets, sealSecret } from './encryption.ts'

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

test('seals every secret of a text again under the first key, and keeps those that are', () => {
  const keys = [randomBytes(32), ...options.keys] as const
  const current = sealSecret('whsec_new', { ...options, keys })
  const stored = JSON.stringify([{ sealed: sealSecret('whsec_x', options), expires_at: '2026-11-30' }, { sealed: current }])
  const other = new RegExp(buildOtherKeysPattern(keys[0]))
  expect(stored).toMatch(other)
  const resealed = resealSecrets(stored, { ...options, keys })
  expect(resealed).not.toMatch(other)
  const [first, second] = JSON.parse(resealed) as { sealed: string; expires_at?: string }[]
  expect(openSecret(first?.sealed ?? '', { ...options, keys: [keys[0]] })).toBe('whsec_x')
  expect([first?.expires_at, second?.sealed]).toEqual(['2026-11-30', current])
  expect(() => resealSecrets(stored, { ...options, keys: [keys[0]] })).toThrow(/sealed under key/)
})
