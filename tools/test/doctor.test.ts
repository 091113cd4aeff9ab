import { createServer, type Server } from 'node:net'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { lookAtMachine } from '../src/doctor/look-at-machine.ts'
import { lookAtNode, lookAtPrograms } from '../src/doctor/look-at-programs.ts'
import { lookAtServers } from '../src/doctor/look-at-servers.ts'

const servers: Server[] = []
afterEach(() => servers.splice(0).forEach((server) => server.close()))

/** A port where somebody listens and says this. */
async function speaking(words: string): Promise<number> {
  const server = createServer((socket) => socket.end(words))
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

const place = { port: 0, dataDir: '/nowhere/quittance' }

test('an old Node is missing, with a place to get another', () => {
  expect(lookAtNode('22.11.0')).toMatchObject({ state: 'missing', advice: expect.stringContaining('nodejs.org') as string })
  expect(lookAtNode('24.1.0')).toMatchObject({ state: 'ok' })
})

test('programs that the environment makes needless are not asked for, and a browser that is none is', async () => {
  const urls = Object.fromEntries(['AUTH', 'ORDERS', 'INVOICES', 'WEBHOOKS'].map((name) => [`DATABASE_URL_${name}`, 'postgres://x']))
  const findings = await lookAtPrograms({ ...urls, NATS_URL: 'nats://x', PUPPETEER_EXECUTABLE_PATH: '/no/browser' })
  expect(findings).toContainEqual({ what: 'nats-server', state: 'ok', says: 'not needed: NATS_URL names a server' })
  expect(findings).toContainEqual({ what: 'PostgreSQL', state: 'ok', says: 'not needed: every DATABASE_URL_… names a database' })
  expect(findings.find(({ what }) => what === 'Chromium')).toMatchObject({
    state: 'missing',
    says: expect.stringContaining('/no/browser') as string,
  })
  expect(findings.find(({ what }) => what === 'fonts')).toMatchObject({ state: 'ok' })
})

test('servers that do not answer are missing, each by its name; one that is no NATS server too', async () => {
  const closed = await speaking('')
  servers.splice(0).forEach((server) => server.close())
  const [plain, other] = [await speaking('INFO {"version":"2.10.27","jetstream":false}\r\n'), await speaking('220 mail\r\n')]
  const findings = await lookAtServers({
    DATABASE_URL_ORDERS: `postgres://orders:x@127.0.0.1:${closed}/orders`,
    NATS_URL: `nats://127.0.0.1:${plain},nats://127.0.0.1:${other}`,
  })
  expect(findings.map(({ what, state }) => `${what} ${state}`)).toEqual([
    'DATABASE_URL_ORDERS missing',
    `NATS at 127.0.0.1:${plain} missing`,
    `NATS at 127.0.0.1:${other} missing`,
  ])
  expect(findings[1]?.says).toBe('2.10.27 without JetStream')
})

test('a port that is taken, secrets that are too short, and nothing of the secret is shown', async () => {
  const port = await speaking('')
  const findings = await lookAtMachine({ LINK_SECRET: 'hunter2', SECRETS_KEY: 'hunter2' }, { ...place, port })
  const states = Object.fromEntries(findings.map(({ what, state }) => [what, state]))
  expect(states).toMatchObject({
    [`port ${port}`]: 'missing',
    LINK_SECRET: 'missing',
    SECRETS_KEY: 'missing',
    disk: expect.any(String) as string,
  })
  expect(JSON.stringify(findings)).not.toContain('hunter2')
})
