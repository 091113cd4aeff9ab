import { expect, test } from 'vitest'
import { parseStartOptions } from './start-options.ts'

test('without arguments: port 8080, data in .quittance, demo data, one process per service', () => {
  expect(parseStartOptions([])).toEqual({
    port: 8080,
    dataDir: '.quittance',
    seed: 'demo',
    replicas: { gateway: 1, auth: 1, orders: 1, invoices: 1, webhooks: 1 },
    readyFile: null,
  })
})

test('every option is understood', () => {
  const args = ['--port', '0', '--data', '/var/q', '--seed', 'none', '--replicas', 'orders=2,webhooks=3', '--ready-file=/tmp/r.json']
  expect(parseStartOptions(args)).toEqual({
    port: 0,
    dataDir: '/var/q',
    seed: 'none',
    replicas: { gateway: 1, auth: 1, orders: 2, invoices: 1, webhooks: 3 },
    readyFile: '/tmp/r.json',
  })
})

test('an ephemeral instance has no data folder of its own', () => {
  expect(parseStartOptions(['--ephemeral']).dataDir).toBeNull()
})

test.each([
  [['--port', '65536'], '--port'],
  [['--port', '-1'], '--port'],
  [['--port', 'http'], '--port'],
  [['--seed', 'all'], '--seed'],
  [['--replicas', 'mail=2'], '"mail" is not a service'],
  [['--replicas', 'orders=0'], '--replicas orders'],
  [['--replicas', 'orders'], '--replicas orders'],
  [['--ephemeral', '--data', 'x'], '--ephemeral'],
  [['--colour'], '--colour'],
  [['now'], 'now'],
])('%j is refused with a sentence that names the fault', (args, words) => {
  expect(() => parseStartOptions(args)).toThrow(words)
})
