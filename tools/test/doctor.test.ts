import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { recordProcess } from '@quittance/testing/engines/process-record'
import { eventually } from '@quittance/testing/eventually'
import { afterEach, expect, test } from 'vitest'
import { checkMachine } from '../src/doctor/check-machine.ts'
import { checkNode, checkPrograms } from '../src/doctor/check-programs.ts'
import { checkServers } from '../src/doctor/check-servers.ts'
import { databaseOwners } from '../src/secrets/secret-list.ts'

const servers: Server[] = []
afterEach(() => servers.splice(0).forEach((server) => server.close()))

/** Listens on a port and sends this message to every connection. */
async function listenAndSend(words: string): Promise<number> {
  const server = createServer((socket) => socket.end(words))
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

const place = { port: 0, dataDir: '/nowhere/quittance' }

test('reports an old Node as missing, with a link to another', () => {
  expect(checkNode('22.11.0')).toMatchObject({ state: 'missing', advice: expect.stringContaining('nodejs.org') as string })
  expect(checkNode('24.1.0')).toMatchObject({ state: 'ok' })
})

test('skips programs that the environment makes unnecessary, and reports an invalid browser', async () => {
  const urls = Object.fromEntries(databaseOwners.map((owner) => [`DATABASE_URL_${owner.toUpperCase()}`, 'postgres://x']))
  const findings = await checkPrograms({ ...urls, NATS_URL: 'nats://x', PUPPETEER_EXECUTABLE_PATH: '/no/browser' })
  const { DATABASE_URL_USAGE: _, ...others } = urls
  expect((await checkPrograms(others)).find(({ what }) => what === 'PostgreSQL')?.message).not.toContain('not needed')
  expect(findings).toContainEqual({ what: 'nats-server', state: 'ok', message: 'not needed: NATS_URL names a server' })
  expect(findings).toContainEqual({ what: 'PostgreSQL', state: 'ok', message: 'not needed: every DATABASE_URL_… names a database' })
  expect(findings.find(({ what }) => what === 'Chromium')).toMatchObject({
    state: 'missing',
    message: expect.stringContaining('/no/browser') as string,
  })
  expect(findings.find(({ what }) => what === 'fonts')).toMatchObject({ state: 'ok' })
})

test('warns if pg_dump is older than the server that npm start runs, which it cannot dump', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quittance-doctor-'))
  const { PATH } = process.env
  process.env['PATH'] = `${folder}:${PATH}`
  const findPostgres = async (version: string) => {
    writeFileSync(join(folder, 'pg_dump'), `#!/bin/sh\necho 'pg_dump (PostgreSQL) ${version}'\n`, { mode: 0o700 })
    return (await checkPrograms({})).find(({ what }) => what === 'PostgreSQL')
  }
  expect(await findPostgres('15.18 (Debian 15.18-0+deb12u1)')).toMatchObject({
    state: 'warning',
    message: expect.stringMatching(/^PostgreSQL 18\S+, which pg_dump 15 cannot dump$/) as string,
  })
  expect(await findPostgres('18.1')).toMatchObject({ state: 'ok' })
  process.env['PATH'] = PATH
  rmSync(folder, { recursive: true })
})

test('reports unreachable servers as missing, each by name, and one that is not a NATS server', async () => {
  const closed = await listenAndSend('')
  servers.splice(0).forEach((server) => server.close())
  const [plain, other] = [await listenAndSend('INFO {"version":"2.10.27","jetstream":false}\r\n'), await listenAndSend('220 mail\r\n')]
  const findings = await checkServers({
    DATABASE_URL_ORDERS: `postgres://orders:x@127.0.0.1:${closed}/orders`,
    NATS_URL: `nats://127.0.0.1:${plain},nats://127.0.0.1:${other}`,
  })
  expect(findings.map(({ what, state }) => `${what} ${state}`)).toEqual([
    'DATABASE_URL_ORDERS missing',
    `NATS at 127.0.0.1:${plain} missing`,
    `NATS at 127.0.0.1:${other} missing`,
  ])
  expect(findings[1]?.message).toBe('2.10.27 without JetStream')
})

test('warns of a NATS server that gives requests to replicas that hang', async () => {
  const greet = (version: string) => listenAndSend(`INFO ${JSON.stringify({ version, jetstream: true })}\r\n`)
  const urls = [await greet('2.9.25'), await greet('2.10.0'), await greet('2.12.1')].map((port) => `nats://127.0.0.1:${port}`)
  const findings = await checkServers({ NATS_URL: urls.join() })
  expect(findings.map(({ state, message }) => `${state}: ${message}`)).toEqual(['warning: 2.9.25', 'ok: 2.10.0', 'ok: 2.12.1'])
})

test('names a NATS server without TLS if the URL requires it, and a scheme that is not supported', async () => {
  const port = await listenAndSend('INFO {"version":"2.10.27","jetstream":true}\r\n')
  const findings = await checkServers({ NATS_URL: `tls://localhost:${port},wss://localhost` })
  expect(findings.map(({ state, message }) => `${state}: ${message}`)).toEqual([
    'missing: 2.10.27 without TLS',
    'missing: must begin with nats://, or with tls:// to require TLS',
  ])
})

test('names an address that is not a URL, and ends although a server is silent', async () => {
  const silent = createServer(() => {})
  servers.push(silent)
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const { port } = silent.address() as AddressInfo
  const environment = { DATABASE_URL_ORDERS: 'postgres://[bad', NATS_URL: `nats://a:b:c@[x,nats://127.0.0.1:${port}` }
  const findings = await checkServers(environment)
  expect(findings.map(({ what, state, message }) => `${what} ${state}: ${message}`)).toEqual([
    'DATABASE_URL_ORDERS missing: not a URL',
    'NATS_URL missing: not a URL',
    `NATS at 127.0.0.1:${port} missing: does not respond: timeout`,
  ])
  // An open connection would keep the process from ending.
  const count = () =>
    new Promise<number>((resolve, reject) => silent.getConnections((error, open) => (error ? reject(error) : resolve(open))))
  await eventually(async () => expect(await count()).toBe(0))
})

test('distinguishes a port of the running instance from one that another program uses', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'quittance-doctor-'))
  const port = await listenAndSend('')
  const describePort = async () => (await checkMachine({}, { port, dataDir }))[0]
  const writeInstance = (url: string) => {
    const facts = { pid: process.pid, services: { gateway: [{ pid: 1, health_url: 'http://127.0.0.1:1', url }] } }
    writeFileSync(join(dataDir, 'instance.json'), JSON.stringify(facts))
  }
  writeInstance(`http://127.0.0.1:${port}`)
  // Of a supervisor that was killed.
  expect(await describePort()).toMatchObject({ state: 'missing', message: 'in use' })
  recordProcess(join(dataDir, 'supervisor.pid'), process.pid)
  expect(await describePort()).toMatchObject({ state: 'ok', message: `in use; an instance runs on ${dataDir}` })
  writeInstance('http://127.0.0.1:1')
  expect(await describePort()).toMatchObject({ state: 'missing', message: 'in use' })
  rmSync(dataDir, { recursive: true })
})

test('reports a port in use and short secrets, and shows no part of a secret', async () => {
  const port = await listenAndSend('')
  const findings = await checkMachine({ LINK_SECRET: 'hunter2', SECRETS_KEY: 'hunter2' }, { ...place, port })
  const states = Object.fromEntries(findings.map(({ what, state }) => [what, state]))
  expect(states).toMatchObject({
    [`port ${port}`]: 'missing',
    LINK_SECRET: 'missing',
    SECRETS_KEY: 'missing',
    disk: expect.any(String) as string,
  })
  expect(JSON.stringify(findings)).not.toContain('hunter2')
})
