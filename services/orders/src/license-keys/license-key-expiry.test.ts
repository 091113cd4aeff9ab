import { expect, test } from 'vitest'
import { licenseKeyExpiry } from './license-key-expiry.ts'

const leapDay = new Date('2028-02-29T10:00:00Z')

test.each([
  [leapDay, { ttl: 30, timeframe: 'day' }, '2028-03-30T10:00:00.000Z'],
  [leapDay, { ttl: 1, timeframe: 'month' }, '2028-03-29T10:00:00.000Z'],
  [leapDay, { ttl: 1, timeframe: 'year' }, '2029-02-28T10:00:00.000Z'],
  [leapDay, { ttl: 4, timeframe: 'year' }, '2032-02-29T10:00:00.000Z'],
  [new Date('2026-01-31T10:00:00Z'), { ttl: 1, timeframe: 'month' }, '2026-02-28T10:00:00.000Z'],
  [new Date('2026-01-31T10:00:00Z'), { ttl: 1200, timeframe: 'month' }, '2126-01-31T10:00:00.000Z'],
] as const)('given at %o for %o, a key ends at %s', (now, expires, end) => {
  expect(licenseKeyExpiry(expires, now)?.toISOString()).toBe(end)
})

test('without a term a key never ends', () => {
  expect(licenseKeyExpiry(null, leapDay)).toBeNull()
})
