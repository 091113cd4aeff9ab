import { expect, test } from 'vitest'
import { countedAddress } from './counted-address.ts'

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::FFFF:cb00:7107', '203.0.113.7'],
  ['2001:db8:1:2:aaaa::1', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002:bbbb:cccc:dddd:eeee', '2001:db8:1:2::/64'],
  ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
])('%s is counted as %s', (address, counted) => {
  expect(countedAddress(address)).toBe(counted)
})

test('two IPv4 clients of a dual-stack socket are counted apart', () => {
  expect(countedAddress('::ffff:203.0.113.7')).not.toBe(countedAddress('::ffff:203.0.113.8'))
})
