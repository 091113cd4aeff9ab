import { expect, test } from 'vitest'
import { natsConfig } from './nats-config.ts'

const options = { listen: '127.0.0.1:4222', monitor: '127.0.0.1:8222', storeDir: '/data', passwordOf: (user: string) => `"${user}-pw"` }

/** Returns the part of the configuration that belongs to one user. */
function userBlock(config: string, user: string): string {
  const [, rest] = config.split(`user: ${user}\n`)
  return rest?.split(/\n      }/)[0] ?? ''
}

test('every user has the given password and no allow_responses', () => {
  const config = natsConfig(options)
  for (const user of ['gateway', 'auth', 'orders', 'invoices', 'webhooks', 'mail', 'usage', 'provisioner', 'operator', 'stream']) {
    expect(userBlock(config, user)).toContain(`password: "${user}-pw"`)
    // Its cost for the server grows with the message rate of the user.
    expect(userBlock(config, user)).not.toContain('allow_responses')
  }
})

test('a service receives its own requests and cannot send requests to another', () => {
  const orders = userBlock(natsConfig(options), 'orders')
  expect(orders).toMatch(/subscribe: \[\s+"orders\.>"/)
  expect(orders).not.toContain('"invoices.>"')
})

test('passwords can be environment variables', () => {
  const config = natsConfig({ ...options, passwordOf: (user) => `$NATS_PASSWORD_${user.toUpperCase()}` })
  expect(config).toContain('password: $NATS_PASSWORD_ORDERS\n')
})

test('each test account has its own JetStream; the service accounts remain', () => {
  const config = natsConfig({ ...options, testAccounts: 2 })
  expect(config).toContain('w0: { jetstream: enabled, users: [{ user: w0, password: w0 }] }')
  expect(config).toContain('w1: {')
  expect(config).not.toContain('w2')
  expect(config).toMatch(/ stream \{\s+jetstream: enabled/)
  expect(config).not.toContain('authorization')
})

test('a path with quotes and backslashes remains one string', () => {
  expect(natsConfig({ ...options, storeDir: 'a"b\\c' })).toContain('store_dir: "a\\"b\\\\c"')
})
