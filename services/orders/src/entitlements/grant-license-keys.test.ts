import { expect, test } from 'vitest'
import { generateLicenseKey, licenseKeyExpiry, maskLicenseKey } from './grant-license-keys.ts'

test('a key is 32 uppercase hexadecimal digits in groups after the uppercase prefix', () => {
  expect(generateLicenseKey(null)).toMatch(/^[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$/)
  expect(generateLicenseKey('Acme app')).toMatch(/^ACME APP-[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$/)
})

test('all 128 bits of a key are random', () => {
  const bits = Array.from({ length: 1000 }, () => BigInt(`0x${generateLicenseKey(null).replaceAll('-', '')}`))
  const everOne = bits.reduce((seen, key) => seen | key)
  const alwaysOne = bits.reduce((seen, key) => seen & key)
  expect(everOne).toBe(2n ** 128n - 1n)
  expect(alwaysOne).toBe(0n)
  expect(new Set(bits).size).toBe(1000)
})

test('displays only the last six characters of a key', () => {
  expect(maskLicenseKey('ACME-285D1C0A-7E0B-4E8F-9A31-0C5B12E304DA')).toBe('****-E304DA')
})

const leapDay = new Date('2028-02-29T10:00:00Z')

test.each([
  [leapDay, { ttl: 30, timeframe: 'day' }, '2028-03-30T10:00:00.000Z'],
  [leapDay, { ttl: 1, timeframe: 'month' }, '2028-03-29T10:00:00.000Z'],
  [leapDay, { ttl: 1, timeframe: 'year' }, '2029-02-28T10:00:00.000Z'],
  [leapDay, { ttl: 4, timeframe: 'year' }, '2032-02-29T10:00:00.000Z'],
  [new Date('2026-01-31T10:00:00Z'), { ttl: 1, timeframe: 'month' }, '2026-02-28T10:00:00.000Z'],
  [new Date('2026-01-31T10:00:00Z'), { ttl: 1200, timeframe: 'month' }, '2126-01-31T10:00:00.000Z'],
] as const)('a key issued at %o for %o expires at %s', (now, expires, end) => {
  expect(licenseKeyExpiry(expires, now)?.toISOString()).toBe(end)
})

test('a key without a term never expires', () => {
  expect(licenseKeyExpiry(null, leapDay)).toBeNull()
})
