import { expect, test } from 'vitest'
import { parseStartOptions } from './start-options.ts'

test('defaults to port 8080, data in .quittance, demo data and one process per service', () => {
  expect(parseStartOptions([])).toEqual({
    port: 8080,
    dataDir: '.quittance',
    seed: 'demo',
    replicas: { gateway: 1, auth: 1, orders: 1, invoices: 1, webhooks: 1, mail: 1, usage: 1, provisioner: 1, storefront: 1 },
    readyFile: null,
    watch: false,
    allow: new Set(),
  })
})

test('accepts every option', () => {
  const args = [
    '--port',
    '0',
    '--data',
    '/var/q',
    '--seed',
    'none',
    '--replicas',
    'orders=2,webhooks=3',
    '--ready-file=/tmp/r.json',
    '--allow',
    'loopback-webhooks',
  ]
  expect(parseStartOptions(args)).toEqual({
    port: 0,
    dataDir: '/var/q',
    seed: 'none',
    replicas: { gateway: 1, auth: 1, orders: 2, invoices: 1, webhooks: 3, mail: 1, usage: 1, provisioner: 1, storefront: 1 },
    readyFile: '/tmp/r.json',
    watch: false,
    allow: new Set(['loopback-webhooks']),
  })
})

test('gives an ephemeral instance no data folder', () => {
  expect(parseStartOptions(['--ephemeral']).dataDir).toBeNull()
})

test.each([
  [['--port', '65536'], '--port'],
  [['--port', '-1'], '--port'],
  [['--port', 'http'], '--port'],
  [['--seed', 'all'], '--seed'],
  [['--replicas', 'post=2'], '"post" is not a service'],
  [['--replicas', 'orders=0'], '--replicas orders'],
  [['--replicas', 'orders'], '--replicas orders'],
  [['--ephemeral', '--data', 'x'], '--ephemeral'],
  [['--allow', 'everything'], '"everything" is not one of loopback-webhooks, sandbox-payments'],
  [['--colour'], '--colour'],
  [['now'], 'now'],
])('rejects %j with a message that names the error', (args, words) => {
  expect(() => parseStartOptions(args)).toThrow(words)
})

test('--watch restarts services when their sources change', () => {
  expect(parseStartOptions(['--watch']).watch).toBe(true)
})
