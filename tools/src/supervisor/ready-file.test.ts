import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeReadyFile } from './ready-file.ts'

test('the file is whole, for its owner alone, and leaves nothing beside it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quittance-ready-file-'))
  const path = join(folder, 'ready.json')
  const services = { gateway: [], auth: [], orders: [], invoices: [], webhooks: [] }
  const facts = {
    base_url: 'http://127.0.0.1:1',
    auth_url: 'http://127.0.0.1:1',
    postgres_url: null,
    nats_url: 'nats://n',
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
