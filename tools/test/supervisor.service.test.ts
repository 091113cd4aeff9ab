import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { serviceNames } from '@quittance/contracts/services'
import { createDisposableFolder } from '@quittance/testing/engines/disposable-folder'
import { findProcess } from '@quittance/testing/engines/process-record'
import { eventually } from '@quittance/testing/eventually'
import type { ReadyFile } from '@quittance/testing/ready-file'
import { reachableDatabases } from '../src/commands/failed-invoices.ts'

let folder: string
let started: ChildProcess[]

beforeEach(() => {
  folder = createDisposableFolder('supervisor')
  started = []
})

afterEach(async () => {
  await Promise.all(started.map((child) => stop(child)))
  rmSync(folder, { recursive: true, force: true })
})

interface System {
  child: ChildProcess
  output: () => string
  facts: () => ReadyFile
}

/** Starts a supervisor with fake services and waits for its ready file. */
async function start(name: string, args: string[] = [], settings: NodeJS.ProcessEnv = {}): Promise<System> {
  const readyFile = join(folder, `${name}.ready.json`)
  const all = ['--port', '0', '--seed', 'none', '--data', join(folder, name), '--ready-file', readyFile, ...args]
  // Settings of this test run for services under test are not this system's.
  const { BASE_URL: _, ...env } = process.env
  const child = spawn(process.execPath, [join(import.meta.dirname, 'fake-system.ts'), ...all], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...env, ...settings },
  })
  started.push(child)
  let output = ''
  child.stdout?.on('data', (chunk) => (output += chunk))
  child.stderr?.on('data', (chunk) => (output += chunk))
  const ready = () => existsSync(readyFile) && JSON.parse(readFileSync(readyFile, 'utf8')).pid === child.pid
  await eventually(() => expect(ready() || child.exitCode !== null).toBe(true))
  if (!ready()) throw new Error(output)
  return { child, output: () => output, facts: () => JSON.parse(readFileSync(readyFile, 'utf8')) }
}

async function stop(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.kill(signal)
  await ended
  return child.exitCode
}

/** Services and engines of an instance. */
function processes(system: System, name: string): number[] {
  const services = Object.values(system.facts().services).flatMap((each) => each.map(({ pid }) => pid))
  const postgres = Number(readFileSync(join(folder, name, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0])
  const nats = Number(readFileSync(join(folder, name, 'nats.pid'), 'utf8').split('\n')[0])
  return [...services, postgres, nats]
}

async function sql(system: System, statement: string): Promise<unknown[]> {
  const client = new Client({ connectionString: system.facts().postgres_url ?? '' })
  await client.connect()
  const { rows } = await client.query(statement)
  await client.end()
  return rows
}

test('stops everything on SIGTERM, and the next start finds the data', async () => {
  const first = await start('a')
  await sql(first, 'create table kept as select 1 as answer')
  const all = processes(first, 'a')
  // Every service, PostgreSQL and NATS.
  expect(all).toHaveLength(serviceNames.length + 2)
  expect(await stop(first.child)).toBe(0)
  expect(all.filter(findProcess)).toEqual([])
  expect(existsSync(join(folder, 'a.ready.json'))).toBe(false)
  await expectNoStartWithout('secrets.json')
  await expectNoStartWithout('postgres.password')
  const second = await start('a')
  expect(await sql(second, 'select answer from kept')).toEqual([{ answer: 1 }])
})

/** Expects that a start on the folder names a damaged file, without which its data are lost, and puts the file back. */
async function expectNoStartWithout(name: string): Promise<void> {
  const file = join(folder, 'a', name)
  const content = readFileSync(file, 'utf8')
  if (name.endsWith('.json')) rmSync(file)
  else writeFileSync(file, 'another')
  const advice = `Restore ${name} from the backup (docs/operations.md, "Backup and restore")`
  const { message } = await start('a').then(
    () => new Error('It started.'),
    (error: Error) => error,
  )
  expect(message).toContain(file)
  expect(message).toContain(advice)
  expect(existsSync(file)).toBe(!name.endsWith('.json'))
  writeFileSync(file, content, { mode: 0o600 })
}

test('leaves no process behind when killed, and starts again', async () => {
  const first = await start('a')
  const all = processes(first, 'a')
  await stop(first.child, 'SIGKILL')
  await eventually(() => expect(all.filter(findProcess)).toEqual([]))
  const second = await start('a')
  expect(second.facts().pid).toBe(second.child.pid)
})

test('starts directly after a kill without waiting and without losing data', async () => {
  const first = await start('a')
  await sql(first, 'create table kept as select 1 as answer')
  await stop(first.child, 'SIGKILL')
  const second = await start('a')
  expect(await sql(second, 'select answer from kept')).toEqual([{ answer: 1 }])
})

test('restarts a killed service and lists its new process in the ready file', async () => {
  const system = await start('a')
  const before = system.facts().services.orders[0]?.pid as number
  process.kill(before, 'SIGKILL')
  await eventually(() => expect([undefined, before]).not.toContain(system.facts().services.orders[0]?.pid))
  // Its output arrives through a pipe, after the file is written.
  await eventually(() =>
    expect(system.output()).toMatch(/orders was ended by SIGKILL; starting it again in 0.1 s\n[^]*orders is ready again/),
  )
})

test('restarts killed engines on the same ports', async () => {
  const system = await start('a')
  const [postgres, nats] = processes(system, 'a').slice(-2) as [number, number]
  process.kill(postgres, 'SIGKILL')
  process.kill(nats, 'SIGKILL')
  await eventually(() => {
    expect(system.output()).toMatch(/PostgreSQL is ready again/)
    expect(system.output()).toMatch(/NATS is ready again/)
  })
  expect(await sql(system, 'select 1 as answer')).toEqual([{ answer: 1 }])
})

test.runIf(existsSync('/dev/full'))('runs on while logs cannot be written, and reports that once for each log', async () => {
  mkdirSync(join(folder, 'a', 'logs'), { recursive: true })
  symlinkSync('/dev/full', join(folder, 'a', 'logs', 'orders-1.log'))
  const system = await start('a')
  const lost = /orders orders-1\.log cannot be written, lines are dropped: ENOSPC/g
  await eventually(() => expect(system.output().match(lost)).toHaveLength(1))
  expect((await fetch(system.facts().base_url)).status).toBe(200)
  expect(await stop(system.child)).toBe(0)
})

test('runs two instances side by side, one supervisor per folder, and records an external database', async () => {
  const first = await start('a')
  const invoices = new URL('/invoices', first.facts().postgres_url ?? '').href
  const second = await start('b', [], { DATABASE_URL_INVOICES: invoices })
  expect(second.facts().external_databases).toEqual({ invoices })
  expect([first.facts().external_databases, statSync(join(folder, 'b', 'instance.json')).mode & 0o777]).toEqual([undefined, 0o600])
  // Both have a database of invoices; commands read the one that the services do.
  expect(reachableDatabases({ data: join(folder, 'b') })).toEqual({ invoices })
  expect(first.facts().base_url).not.toBe(second.facts().base_url)
  await expect(start('a')).rejects.toThrow(`is in use by process ${first.child.pid}`)
  expect((await fetch(first.facts().base_url)).status).toBe(200)
})

test('gives each replica a process and a health address', async () => {
  const system = await start('a', ['--replicas', 'orders=2,gateway=2'])
  const { orders, gateway } = system.facts().services
  expect(new Set(orders.map(({ health_url }) => health_url)).size).toBe(2)
  expect(gateway[0]?.url).toBe(system.facts().base_url)
  expect((await fetch(gateway[1]?.url ?? '')).status).toBe(200)
})
