import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeReadyFile } from './ready-file.ts'

test('writes the whole file, readable by its owner only, and leaves no other file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quittance-ready-file-'))
  const path = join(folder, 'ready.json')
  const services = { gateway: [], auth: [], orders: [], invoices: [], webhooks: [], mail: [], usage: [], provisioner: [], storefront: [] }
  const facts = {
    base_url: 'http://127.0.0.1:1',
    pages_url: 'http://127.0.0.1:1',
    auth_url: 'http://127.0.0.1:1',
    postgres_url: null,
    nats_url: 'nats://n',
    stream_url: 'nats://s',
    operator_bus_key: 'k',
    bus_public_keys: 'p',
    pid: 1,
    services,
  }
  writeReadyFile(path, facts)
  writeReadyFile(path, { ...facts, pid: 2 })
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ ...facts, pid: 2 })
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder)).toEqual(['ready.json'])
  rmSync(folder, { recursive: true })
})
