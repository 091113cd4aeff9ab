import { expect, test } from 'vitest'
import { displayKeyOf, newLicenseKeyText } from './license-key-text.ts'

test('a key is 32 capital hexadecimal digits in groups, after the prefix in capitals', () => {
  expect(newLicenseKeyText(null)).toMatch(/^[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$/)
  expect(newLicenseKeyText('Acme app')).toMatch(/^ACME APP-[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$/)
})

test('all of its 128 bits are random', () => {
  const bits = Array.from({ length: 1000 }, () => BigInt(`0x${newLicenseKeyText(null).replaceAll('-', '')}`))
  const everOne = bits.reduce((seen, key) => seen | key)
  const alwaysOne = bits.reduce((seen, key) => seen & key)
  expect(everOne).toBe(2n ** 128n - 1n)
  expect(alwaysOne).toBe(0n)
  expect(new Set(bits).size).toBe(1000)
})

test('only the last six characters of a key are displayed', () => {
  expect(displayKeyOf('ACME-285D1C0A-7E0B-4E8F-9A31-0C5B12E304DA')).toBe('****-E304DA')
})
