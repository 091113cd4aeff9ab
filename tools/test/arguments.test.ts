import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { recordProcess } from '@quittance/testing/engines/process-record'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
let folder: string
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'quittance-arguments-'))))
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs a program of this folder without a system. */
function run(program: string, args: readonly string[], settings: NodeJS.ProcessEnv = {}) {
  const env = { ...process.env, NATS_URL: '', DATABASE_URL_INVOICES: '', ...settings }
  return spawnSync(process.execPath, [join(root, 'tools/src', program), ...args], {
    cwd: folder,
    encoding: 'utf8',
    env,
    maxBuffer: 10_000_000,
  })
}

/** Writes what a running instance does; its process is this one. */
function writeInstance(facts: object): void {
  mkdirSync(join(folder, '.quittance'), { recursive: true })
  writeFileSync(join(folder, '.quittance/instance.json'), JSON.stringify(facts))
  recordProcess(join(folder, '.quittance/supervisor.pid'), process.pid)
}

test.each([
  [['token', 'create', '--owner', crypto.randomUUID(), '--organization', ''], '--organization is empty'],
  [['events', '--since', ' '], '--since is empty'],
  [['start', '--data', ''], '--data is empty'],
  [['organization', 'create', '--name', 'Owned', '--slug', 'owned', '--owner', 'nope'], '--owner must be an id like'],
  [['token', 'create', '--owner', crypto.randomUUID(), '--organization', 'nope'], '--organization must be an id like'],
  [['events', '--organization', 'nope'], '--organization must be an id like'],
  [['invoices', 'verify', '--organization', '9'.repeat(36)], '--organization must be an id like'],
  [['replay', '--service', 'orders', '--id', ''], '--id is empty'],
  [['replay', '--service', 'constructor', '--dead-letters'], 'constructor consumes no events'],
  [['doctor', '--port', 'http'], '--port must be a whole number'],
  [['openapi', '--base-url', 'billing.example.com'], '--base-url must be an address'],
  [['seed', '--nats', 'nats://127.0.0.1:1', '--origin', 'billing'], '--origin must be an address'],
  [['demo', '--colour'], "Unknown option '--colour'"],
  [['demo', '--origin', 'http://127.0.0.1:8080'], 'add --nats'],
])('rejects %j as a usage error', (args, words) => {
  expect(run('quittance.ts', args)).toMatchObject({ status: 2, stderr: expect.stringContaining(words) as string })
})

test('the demo and the contracts end with a sentence, not with a stack', () => {
  for (const [program, args, words] of [
    ['demo.ts', ['--colour'], "Unknown option '--colour'"],
    ['demo.ts', ['--nats', 'nats://127.0.0.1:1'], 'BUS_KEY (of the operator) and BUS_PUBLIC_KEYS must be set'],
    ['contracts.ts', ['--relase', '1.0.0'], "Unknown option '--relase'"],
    ['contracts.ts', ['--release', 'next'], '--release must be a version'],
  ] as const) {
    const { status, stderr } = run(program, args, { BUS_KEY: '', BUS_PUBLIC_KEYS: '' })
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(words) as string })
    expect(stderr).not.toMatch(/^ +at /m)
  }
})

test('openapi has no double slash after an address that ends with one', () => {
  const { stdout } = run('quittance.ts', ['openapi', '--base-url', 'https://billing.example.com/'])
  expect(JSON.parse(stdout)).toMatchObject({ servers: [{ url: 'https://billing.example.com' }] })
  expect(stdout).not.toContain('billing.example.com//')
})

test('a system that NATS_URL names is not mixed with an instance on this machine', () => {
  const facts = { pid: process.pid, base_url: 'http://127.0.0.1:1', postgres_url: 'postgres://127.0.0.1:1/x' }
  const elsewhere = { NATS_URL: 'nats://127.0.0.1:1', BUS_KEY: 'x', BUS_PUBLIC_KEYS: 'x' }
  writeInstance(facts)
  expect(run('quittance.ts', ['seed'], elsewhere)).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('--origin is required') as string,
  })
  expect(run('quittance.ts', ['invoices', 'verify'], elsewhere)).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('Set DATABASE_URL_INVOICES') as string,
  })
})

test('commands read the external database of the running instance, not the embedded one of an earlier start', () => {
  const facts = { pid: process.pid, base_url: 'http://127.0.0.1:1', postgres_url: 'postgres://postgres:x@127.0.0.1:1/postgres' }
  writeInstance({ ...facts, external_databases: { invoices: 'postgres://invoices:secret@127.0.0.1:2/ledger' } })
  const { status, stderr } = run('quittance.ts', ['invoices', 'verify'])
  expect({ status, stderr }).toEqual({ status: 1, stderr: '\nconnect ECONNREFUSED 127.0.0.1:2\n' })
})

test('commands report that no instance runs after its supervisor was killed', () => {
  const nats = 'nats://operator:x@127.0.0.1:1'
  const facts = { base_url: 'http://127.0.0.1:1', nats_url: nats, stream_url: nats, operator_bus_key: 'x', bus_public_keys: 'x' }
  writeInstance({ ...facts, pid: process.pid, postgres_url: 'postgres://127.0.0.1:1/x' })
  writeFileSync(join(folder, '.quittance/supervisor.pid'), `${process.pid}\n1`)
  for (const args of [['events'], ['account', 'create', '--email', 'a@example.com'], ['invoices', 'verify']]) {
    const { status, stderr } = run('quittance.ts', args)
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringMatching(/no instance runs/i) as string })
  }
})

test('invoices verify names a file of heads that it cannot read, or that has none', () => {
  const heads = join(folder, 'heads.jsonl')
  const other = `--heads: ${heads} is not the output`
  for (const [text, words] of [
    ['> quittance@0.1.0 quittance', other],
    ['null', other],
    ['{"id":"1"}', other],
    ['{"type":"head"}', other],
    ['', `--heads: ${heads} has no heads.`],
    ['{"type":"fault"}', `--heads: ${heads} has no heads.`],
  ] as const) {
    writeFileSync(heads, text)
    const { status, stderr } = run('quittance.ts', ['invoices', 'verify', '--heads', heads], {
      DATABASE_URL_INVOICES: 'postgres://127.0.0.1:1/x',
    })
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(words) as string })
  }
})

test('migrate names the database that it cannot reach', () => {
  const { status, stderr } = run('quittance.ts', ['migrate'], { DATABASE_URL_ORDERS: 'postgres://orders:secret@127.0.0.1:1/orders' })
  expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining('orders: connect ECONNREFUSED') as string })
  expect(stderr).not.toContain('secret')
})
