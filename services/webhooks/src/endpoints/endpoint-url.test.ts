import { describe, expect, test } from 'vitest'
import { parseCidr } from '@quittance/runtime/address-policy'
import { findUrlProblem } from './endpoint-url.ts'

const none = { networks: [], deniedPorts: new Set<number>() }
const allowed = { networks: [parseCidr('127.0.0.0/8')], deniedPorts: new Set([5432]) }

test.each([
  'https://example.com/hook',
  'https://example.com:8443/hook?x=1',
  'https://example.com:80/',
  'https://bücher.example/',
  'https://93.184.216.34/',
  'https://[2606:4700:4700::1111]/',
])('accepts %s', (url) => {
  expect(findUrlProblem(url, none)).toBeNull()
})

describe('without allowed networks', () => {
  test.each([
    'https://127.0.0.1/',
    'https://0.0.0.0/',
    'https://10.0.0.1/',
    'https://172.16.0.1/',
    'https://192.168.0.1/',
    'https://100.64.0.1/',
    'https://169.254.169.254/latest/meta-data',
    'https://168.63.129.16/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::7f00:1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[fd00:ec2::254]/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://127.1/',
    'https://0177.0.0.1/',
    'https://127.0.0.1./',
    'https://localhost/',
    'https://localhost./',
    'https://api.localhost/',
    'https://printer.local/',
    'https://vault.internal/',
    'https://orders/',
  ])('rejects %s: not on the internet', (url) => {
    expect(findUrlProblem(url, none)).toBe('The host must be reachable from the internet.')
  })

  test.each(['http://example.com/', 'ftp://example.com/', 'http://127.0.0.1/'])('rejects %s: not https', (url) => {
    expect(findUrlProblem(url, none)).toBe('The URL must begin with https://.')
  })

  test('rejects a user name, a password and ports of other protocols', () => {
    expect(findUrlProblem('https://user@example.com/', none)).toMatch('user name')
    expect(findUrlProblem('https://:secret@example.com/', none)).toMatch('password')
    expect(findUrlProblem('https://example.com:22/', none)).toMatch('port')
    expect(findUrlProblem('https://example.com:6667/', none)).toMatch('port')
    expect(findUrlProblem('not a url', none)).toMatch('cannot be read')
  })
})

describe('with an allowed network', () => {
  test.each(['http://127.0.0.1:22/', 'https://127.0.0.1:1234/', 'http://127.9.9.9/', 'http://[::ffff:127.0.0.1]:3000/'])(
    'accepts %s',
    (url) => {
      expect(findUrlProblem(url, allowed)).toBeNull()
    },
  )

  test.each([
    'http://10.0.0.1/',
    'http://localhost:3000/',
    'http://[::1]:3000/',
    'http://example.com/',
    'ftp://127.0.0.1/',
    'http://user@127.0.0.1/',
    'http://127.0.0.1:5432/',
    'https://127.1:5432/',
    'http://[::ffff:127.0.0.1]:5432/connz',
  ])('rejects %s', (url) => {
    expect(findUrlProblem(url, allowed)).not.toBeNull()
  })
})
