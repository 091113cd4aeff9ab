import { spawn, type ChildProcess } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serviceNames, type ServiceName } from '@quittance/contracts/services'
import { eventually } from '@quittance/testing/eventually'
import type { ReadyFile } from '@quittance/testing/ready-file'

let folder: string
let child: ChildProcess
let output: string

/** Writes a file into the temporary checkout that the supervisor watches. */
function writeSource(path: string, text: string): void {
  const file = join(folder, 'checkout', path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** A service that replies with the constants of one module and of the package that all services share. */
function writeCheckout(): void {
  writeSource('packages/contracts/package.json', JSON.stringify({ name: '@quittance/contracts' }))
  writeSource('packages/contracts/src/shared.ts', "export const shared = 'one'\n")
  for (const service of serviceNames) {
    const dependencies = service === 'webhooks' ? {} : { '@quittance/contracts': '0.1.0' }
    writeSource(`services/${service}/package.json`, JSON.stringify({ name: `@quittance/${service}`, dependencies }))
    writeSource(`services/${service}/src/reply.ts`, "export const reply = 'one'\n")
    const main = join(folder, 'checkout/services', service, 'src/main.ts')
    copyFileSync(join(import.meta.dirname, 'fake-watched-service.ts'), main)
  }
}

const readyFile = () => join(folder, 'ready.json')
const readFacts = (): ReadyFile => JSON.parse(readFileSync(readyFile(), 'utf8'))
const readPid = (service: ServiceName) => readFacts().services[service][0]?.pid

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quittance-dev-test-'))
  output = ''
  writeCheckout()
  const args = ['--watch', '--port', '0', '--seed', 'none', '--data', join(folder, 'data'), '--ready-file', readyFile()]
  const { BASE_URL: _, ...env } = process.env
  child = spawn(process.execPath, [join(import.meta.dirname, 'fake-system.ts'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...env, WATCHED_ROOT: join(folder, 'checkout') },
  })
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk))
  await eventually(() => {
    if (child.exitCode === null && !existsSync(readyFile())) throw new Error(output)
  })
  if (child.exitCode !== null) throw new Error(output)
})

afterAll(async () => {
  const ended = new Promise((resolve) => child.once('exit', resolve))
  if (child.exitCode === null && child.kill('SIGTERM')) await ended
  rmSync(folder, { recursive: true, force: true })
})

/** Reply at the public address of the gateway, which never changes. */
async function requestGateway(url: string): Promise<string> {
  return (await fetch(url, { headers: { connection: 'close' } })).text()
}

test('a changed service restarts alone, on its port and with the change, while the engines keep running', async () => {
  const before = readFacts()
  const engines = ['nats.pid', 'postgres/postmaster.pid'].map((file) => readFileSync(join(folder, 'data', file), 'utf8'))
  expect(await requestGateway(before.base_url)).toMatch(/^one /)
  writeSource('services/gateway/src/reply.ts', "export const reply = 'two'\n")
  await eventually(async () => expect(await requestGateway(before.base_url)).toMatch(/^two /))
  await eventually(() => expect(readPid('gateway')).not.toBe(before.services.gateway[0]?.pid))
  expect(readFacts().base_url).toBe(before.base_url)
  expect(readPid('orders')).toBe(before.services.orders[0]?.pid)
  expect(['nats.pid', 'postgres/postmaster.pid'].map((file) => readFileSync(join(folder, 'data', file), 'utf8'))).toEqual(engines)
})

test('a changed package restarts its dependents, and no other service', async () => {
  const before = readFacts()
  writeSource('packages/contracts/src/shared.ts', "export const shared = 'two'\n")
  await eventually(async () => expect(await requestGateway(before.base_url)).toMatch(/ two$/))
  for (const service of serviceNames.filter((name) => name !== 'webhooks'))
    await eventually(() => expect([undefined, before.services[service][0]?.pid]).not.toContain(readPid(service)))
  expect(readPid('webhooks')).toBe(before.services.webhooks[0]?.pid)
})

test('a service with an error starts again as soon as the error is corrected', async () => {
  const { base_url: url } = readFacts()
  writeSource('services/gateway/src/reply.ts', 'export const reply = \n')
  await eventually(() => expect(output).toMatch(/gateway does not start:\n[^]*SyntaxError/))
  writeSource('services/gateway/src/reply.ts', "export const reply = 'corrected'\n")
  await eventually(async () => expect(await requestGateway(url)).toMatch(/^corrected /))
})

test('a file in a new folder restarts the service', async () => {
  const { base_url: url } = readFacts()
  writeSource('services/gateway/src/replies/new.ts', "export const reply = 'new'\n")
  await eventually(() => expect(output).toContain('services/gateway/src/replies changed: restarting gateway'))
  writeSource('services/gateway/src/reply.ts', "export { reply } from './replies/new.ts'\n")
  await eventually(async () => expect(await requestGateway(url)).toMatch(/^new /))
  writeSource('services/gateway/src/replies/new.ts', "export const reply = 'newer'\n")
  await eventually(async () => expect(await requestGateway(url)).toMatch(/^newer /))
})
