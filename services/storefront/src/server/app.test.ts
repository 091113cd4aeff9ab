import { createApiClient } from '@quittance/pages/call-api'
import type { Logger } from '@quittance/runtime/logger'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createCookieSealer } from '../page/cookies.ts'
import { bundleScripts } from '../page/scripts.ts'
import { findStripeSources } from '../page/stripe-sources.ts'
import { createApp } from './app.ts'

const scripts = await bundleScripts()

interface LogLine {
  level: string
  event: string
  fields: Record<string, unknown>
}

function recordLog(lines: LogLine[]): Logger {
  const write = (level: string) => (fields: Record<string, unknown>, event: string) => void lines.push({ level, event, fields })
  const log = Object.fromEntries(['trace', 'debug', 'info', 'warn', 'error', 'fatal'].map((level) => [level, write(level)]))
  return { ...log, child: () => recordLog(lines), level: 'info' } as unknown as Logger
}

async function openCheckoutPage(apiOrigin: string) {
  const api = createApiClient({ origins: [apiOrigin], pagesKey: undefined })
  const lines: LogLine[] = []
  const origin = 'http://pages.test'
  const app = await createApp({
    api,
    cookies: createCookieSealer({ keys: [new Uint8Array(32)], isSecure: false }),
    scripts,
    stripe: findStripeSources('https://js.stripe.com/v3/'),
    origin,
    baseUrl: origin,
    log: recordLog(lines),
  })
  onTestFinished(async () => {
    await app.close()
    await api.close()
  })
  const page = await app.inject({ url: '/checkout/qt_co_x', headers: { 'x-request-id': 'request-1' } })
  return { page, failures: lines.filter(({ level }) => level === 'warn' || level === 'error') }
}

/** Starts an API that replies with one status only, and returns its origin. */
async function startApi(status: number, headers: Record<string, string> = {}): Promise<{ origin: string; stop: () => Promise<void> }> {
  const server = createServer((_request, response) => response.writeHead(status, headers).end('{}')).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const stop = () => new Promise<void>((resolve) => void server.close(() => resolve()))
  onTestFinished(() => void (server.listening && server.close()))
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop }
}

test('a page without the API is a 503 with the seconds to wait, and one warning without a stack', async () => {
  const { origin } = await startApi(503, { 'retry-after': '7' })
  const { page, failures } = await openCheckoutPage(origin)
  expect(page.statusCode).toBe(503)
  expect(page.headers['retry-after']).toBe('7')
  const fields = { reason: 'The API replied 503', request_id: 'request-1' }
  expect(failures).toEqual([{ level: 'warn', event: 'page.unavailable', fields }])
})

test('a page whose gateway cannot be reached states one second, and the code of the connection error', async () => {
  const { origin, stop } = await startApi(200)
  await stop()
  const { page, failures } = await openCheckoutPage(origin)
  expect(page.statusCode).toBe(503)
  expect(page.headers['retry-after']).toBe('1')
  const fields = { reason: 'No gateway replied', code: 'ECONNREFUSED', request_id: 'request-1' }
  expect(failures).toEqual([{ level: 'warn', event: 'page.unavailable', fields }])
})

test('a page that fails by an unexpected reply is a 500 with its error in the log, and no seconds to wait', async () => {
  const { origin } = await startApi(418)
  const { page, failures } = await openCheckoutPage(origin)
  expect(page.statusCode).toBe(500)
  expect(page.headers['retry-after']).toBeUndefined()
  expect(failures).toMatchObject([{ level: 'error', event: 'page.failed', fields: { request_id: 'request-1' } }])
})
