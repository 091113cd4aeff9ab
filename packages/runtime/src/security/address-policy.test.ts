import { expect, test } from 'vitest'
import { isInNetworks, isAllowedAddress, isPublicAddress, parseCidr } from './address-policy.ts'

test.each(['93.184.216.34', '1.1.1.1', '2606:4700:4700::1111', '::ffff:93.184.216.34'])('%s is public', (address) => {
  expect(isPublicAddress(address)).toBe(true)
})

test.each([
  '127.0.0.1',
  '0.0.0.0',
  '10.1.2.3',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '100.64.0.1',
  '169.254.169.254',
  '168.63.129.16',
  '192.0.2.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:169.254.169.254',
  '::7f00:1',
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
  '2001:0:7f00:1::',
  '2001:db8::1',
  'fd00:ec2::254',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
  'localhost',
  '',
])('%s is not public', (address) => {
  expect(isPublicAddress(address)).toBe(false)
})

test('allows the addresses of an allowed network in every notation, and no others', () => {
  const allowed = [parseCidr('127.0.0.0/8'), parseCidr('fd12::/16')]
  expect(['127.0.0.1', '127.255.0.9', '::ffff:127.0.0.1', 'fd12::1'].every((address) => isInNetworks(address, allowed))).toBe(true)
  expect(['128.0.0.1', '10.0.0.1', '::1', 'fd13::1', 'example.com'].some((address) => isInNetworks(address, allowed))).toBe(false)
  expect(isAllowedAddress({ address: '93.184.216.34', port: 443 }, { networks: allowed, deniedPorts: new Set() })).toBe(true)
  expect(isAllowedAddress({ address: '127.0.0.1', port: 4222 }, { networks: allowed, deniedPorts: new Set([4222]) })).toBe(false)
  expect(isAllowedAddress({ address: '127.0.0.1', port: 443 }, { networks: [], deniedPorts: new Set() })).toBe(false)
})
