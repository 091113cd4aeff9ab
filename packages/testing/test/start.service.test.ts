import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { job } from '@quittance/runtime/handler'
import { connectNats, flushConnection, isDisconnected } from '@quittance/runtime/nats-connection'
import type { ServiceResources } from '@quittance/runtime/service'
import { expect, test } from 'vitest'
import { testBusSettings } from '../src/bus.ts'
import { freePorts } from '../src/engines/free-ports.ts'
import { startNatsServer } from '../src/engines/nats-server.ts'
import { eventually } from '../src/eventually.ts'
import { startTestService } from '../src/harness.ts'
import { startFaultyStream } from './faulty-stream.ts'
import { natsServersUnderTest } from './nats-servers.ts'
import { ledger, noteEntries } from './ledger.ts'

test('handles no request before its internal routes are served, and is ready after both', async () => {
  let earlyRequest: Promise<unknown> = Promise.resolve()
  const internalRoutes = ({ connection }: ServiceResources) => {
    // On the service's own connection: it arrives before the subscriptions that are created later.
    earlyRequest = connection.request(noteEntries.subject, '{}', { timeout: 20_000 }).catch((error: unknown) => error)
    return () => false
  }
  await using service = await startTestService({ ...ledger(), internalRoutes })
  // The server reports no responders.
  expect(await earlyRequest).toMatchObject({ code: '503' })
  const ready = await fetch(`http://127.0.0.1:${service.healthPort()}/readyz`)
  expect([ready.status, await ready.json()]).toEqual([200, { status: 'ok', failed: [] }])
  expect(await service.call(noteEntries, { account: randomUUID(), first: 0, count: 1 }, { kind: 'anonymous' })).toEqual({ noted: 1 })
})

test('the registration of endpoints survives an interruption of the connection', async () => {
  await using stream = await startFaultyStream((await natsServersUnderTest())[0] as string)
  const connection = await connectNats({ name: 'interrupted', url: stream.url })
  let registered: Promise<unknown> = Promise.resolve()
  await stream.freeze(async () => {
    registered = flushConnection(connection).catch((error: unknown) => error)
    await eventually(() => expect(isDisconnected(connection)).toBe(true))
  })
  expect(await registered).toBeUndefined()
  await connection.close()
  await expect(flushConnection(connection)).rejects.toThrow()
})

test('a connection returns after the server has rejected its password for a while; a wrong one at the start is an error', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quittance-password-'))
  const server = await startNatsServer({ dataDir: join(folder, 'nats') })
  const configFile = join(folder, 'nats.conf')
  const config = readFileSync(configFile, 'utf8')
  const setConfig = (text: string) => {
    writeFileSync(configFile, text)
    process.kill(server.pid, 'SIGHUP')
  }
  const url = server.url('operator')
  const password = new URL(url).password
  await expect(connectNats({ name: 'operator', url: url.replace(password, 'wrong') })).rejects.toMatchObject({
    code: 'AUTHORIZATION_VIOLATION',
  })
  const connection = await connectNats({ name: 'operator', url })
  const countRejected = () => readFileSync(join(folder, 'nats.log'), 'utf8').match(/authentication error/g)?.length ?? 0
  const before = countRejected()
  setConfig(config.replace(password, 'another'))
  await eventually(() => expect(countRejected()).toBeGreaterThan(before + 3))
  setConfig(config)
  await eventually(() => expect(isDisconnected(connection)).toBe(false))
  await flushConnection(connection)
  await connection.close()
  await server.stop()
  rmSync(folder, { recursive: true })
})

test('a process whose parent ends while it waits for its servers ends too', async () => {
  const main = join(import.meta.dirname, '../../../services/provisioner/src/main.ts')
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `nats://provisioner:secret@127.0.0.1:${(server.address() as AddressInfo).port}`
  const env = { ...process.env, ...testBusSettings('provisioner'), NATS_URL: url, LOG_LEVEL: 'error' }
  for (const isConnecting of [false, true]) {
    const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
    const ended = once(child, 'exit')
    if (isConnecting) await once(server, 'connection')
    child.disconnect()
    expect(await ended).toEqual([1, null])
  }
  server.close()
})

test('warns at once and every ten seconds while NATS cannot be reached at the start, without a password', async () => {
  const main = join(import.meta.dirname, '../../../services/provisioner/src/main.ts')
  const [port] = (await freePorts(1)) as [number]
  const env = {
    ...process.env,
    ...testBusSettings('provisioner'),
    NATS_URL: `nats://provisioner:hidden@localhost:${port}`,
    LOG_LEVEL: 'info',
  }
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  const ended = once(child, 'exit')
  let output = ''
  child.stdout?.on('data', (bytes: Buffer) => (output += bytes.toString()))
  await eventually(() => expect(output.match(/nats\.unavailable/g)).toHaveLength(2))
  const [first, second] = output.split('\n').map((line) => (line ? (JSON.parse(line) as Record<string, string>) : {}))
  expect(first).toMatchObject({ level: 'warn', servers: `localhost:${port}`, reason: expect.stringMatching(/REFUSED/) as string })
  expect(Date.parse(second?.['time'] ?? '') - Date.parse(first?.['time'] ?? '')).toBeGreaterThan(9_000)
  expect(output).not.toContain('hidden')
  child.disconnect()
  await ended
})

test('first runs of jobs are one after the other, and one that does not end delays the others by a second at most', async () => {
  let running = 0
  const concurrent: number[] = []
  const hang = Promise.withResolvers<void>()
  const record = (name: string, work: Promise<void> | null = null) =>
    job({
      name,
      everyMs: 60_000,
      async run({ systemSql }) {
        concurrent.push((running += 1))
        await systemSql('jobs.sleep', 'select pg_sleep(0.02)', {})
        await work
        running -= 1
        return false
      },
    })
  const jobs = ['first', 'second', 'third', 'fourth'].map((name) => record(name))
  const startedAt = performance.now()
  await using service = await startTestService({ ...ledger(), jobs: [...jobs, record('hanging', hang.promise), record('last')] })
  await eventually(() => expect(concurrent).toHaveLength(6))
  expect(concurrent).toEqual([1, 1, 1, 1, 1, 2])
  expect(performance.now() - startedAt).toBeGreaterThan(900)
  hang.resolve()
  await service.stop()
  expect(running).toBe(0)
})
