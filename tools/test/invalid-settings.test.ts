import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { testBusSettings } from '@quittance/testing/bus'
import type { BusServiceName } from '@quittance/contracts/services'
import { afterAll, beforeAll, expect, test } from 'vitest'

/** A server in place of PostgreSQL and NATS, which counts connections. */
let connections = 0
const server = createServer((socket) => {
  connections += 1
  socket.destroy()
})
beforeAll(async () => void (await once(server.listen(0, '127.0.0.1'), 'listening')))
afterAll(() => server.close())

/** Settings with which every service but the provisioner and the storefront starts; the others ignore them. */
const valid = { SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'), MAIL_KEY: Buffer.alloc(32, 3).toString('base64'), LOG_LEVEL: 'info' }

/** Runs a service until it ends, and returns its exit code and output. */
async function run(service: string, settings: NodeJS.ProcessEnv) {
  const main = join(import.meta.dirname, `../../services/${service}/src/main.ts`)
  const { port } = server.address() as AddressInfo
  const [DATABASE_URL, NATS_URL] = [`postgres://orders:secret@127.0.0.1:${port}/orders`, `nats://127.0.0.1:${port}`]
  const own = { PATH: process.env['PATH'], DATABASE_URL, NATS_URL, ...testBusSettings(service as BusServiceName) }
  const child = spawn(process.execPath, [main], { env: { ...own, ...valid, ...settings }, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (bytes: Buffer) => (output.stdout += bytes.toString()))
  child.stderr.on('data', (bytes: Buffer) => (output.stderr += bytes.toString()))
  const [code] = (await once(child, 'close')) as [number]
  return { code, ...output }
}

test.each([
  ['gateway', { PORT: 'abc', TRUSTED_PROXIES: '10.0.0.0/8, 300.1.1.1', AUTH_HTTP_URL: 'auth:8080', BASE_URL: 'localhost:8080' }],
  ['auth', { SECRETS_KEY: 'short' }],
  ['orders', { PAYMENT_PROVIDERS: 'strip', BASE_URL: 'nonsense' }],
  ['orders', { SANDBOX_PAYMENTS: 'on', BASE_URL: 'https://api.example' }],
  ['invoices', { RENDER_TIMEOUT_MS: '-1' }],
  ['webhooks', { SECRETS_KEY: '' }],
  ['mail', { BASE_URL: 'https://api.example', SMTP_URL: '' }],
  ['usage', { HEALTH_PORT: '65536' }],
  ['usage', { DEDUPLICATION_DAYS: 'many' }],
  ['provisioner', { BUS_KEY: '' }],
  ['storefront', { API_HTTP_URL: 'nope' }],
])('%s with %j ends with one log line that names every setting, before it connects', async (service, settings) => {
  const { code, stdout, stderr } = await run(service, settings)
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
  const line = JSON.parse(stdout) as { err: { message: string } }
  expect(line).toMatchObject({ service, level: 'error', event: 'service.start-failed' })
  for (const name of Object.keys(settings)) expect(line.err.message).toContain(name)
  expect(connections).toBe(0)
})
