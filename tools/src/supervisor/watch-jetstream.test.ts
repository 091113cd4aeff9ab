import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { watchJetStream } from './watch-jetstream.ts'

/** Starts the monitoring endpoint of a server, and watches it. */
async function startWatched(answer: RequestListener, { timeoutMs = 20 } = {}) {
  let checks = 0
  let restarts = 0
  const lines: string[] = []
  const server = createServer((request, response) => {
    checks += 1
    answer(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const stop = watchJetStream({
    monitorPort: (server.address() as AddressInfo).port,
    dataDir: tmpdir(),
    nats: { pid: () => 1, restart: async () => void (restarts += 1) },
    report: (line) => lines.push(line),
    intervalMs: 5,
    timeoutMs,
  })
  const dispose = () => {
    stop()
    server.closeAllConnections()
    server.close()
  }
  return { lines, checks: () => checks, restarts: () => restarts, [Symbol.dispose]: dispose }
}

test.each([
  ['whose requests have no answer', () => {}],
  ['that has switched JetStream off', (_request, response) => void response.end('{"disabled":true}')],
] as [string, RequestListener][])('a server %s is restarted after six checks', async (...[, answer]) => {
  using watched = await startWatched(answer)
  await eventually(() => expect(watched.restarts()).toBe(1))
  expect(watched.checks()).toBeGreaterThanOrEqual(6)
  expect(watched.lines[0]).toContain('JetStream of NATS does not answer')
})

test('a server that misses some checks is not restarted', async () => {
  let count = 0
  const answer: RequestListener = (_request, response) => void response.end((count += 1) % 3 === 0 ? '{}' : '{"disabled":true}')
  using watched = await startWatched(answer, { timeoutMs: 30_000 })
  await eventually(() => expect(watched.checks()).toBeGreaterThan(20))
  expect(watched.restarts()).toBe(0)
})
