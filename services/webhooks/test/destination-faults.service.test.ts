/** Faults of names and certificates, numbered as in the design, with a test name server and test TLS servers. */
import { once } from 'node:events'
import { createServer as createTcp, type AddressInfo, type Server, type Socket } from 'node:net'
import { createServer as createTls, type TlsOptions } from 'node:tls'
import { orderPaid } from '@quittance/contracts/orders'
import { eventually } from '@quittance/testing/eventually'
import { trustCertificate } from '@quittance/testing/harness'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { certificates } from './certificates.ts'
import { startNameServer, type NameServer } from './name-server.ts'
import { startWebhooks, type TestWebhooks } from './start-webhooks.ts'

let names: NameServer
let webhooks: TestWebhooks
beforeAll(async () => {
  names = await startNameServer()
  process.env['WEBHOOK_DNS_SERVERS'] = names.address
  process.env['DELIVERY_TIMEOUT_MS'] = '9000'
  process.env['RETRY_SCHEDULE_S'] = '0.1'
  webhooks = await startWebhooks()
})
afterAll(async () => {
  await webhooks[Symbol.asyncDispose]()
  await names[Symbol.asyncDispose]()
})

const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'

/** Starts a server that counts connections and records their data. */
async function listen(create: (take: (socket: Socket) => void) => Server, answer: string | null = ok) {
  const seen = { connections: 0, text: '' }
  const sockets = new Set<Socket>()
  const server = create((socket) => {
    sockets.add(socket.on('error', () => {}))
    socket.on('data', (bytes) => {
      seen.text += bytes.toString('latin1')
      if (answer) socket.end(answer)
    })
  })
  server.on('connection', (socket) => {
    seen.connections += 1
    sockets.add(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((closed) => server.close(closed))
  })
  return { port: (server.address() as AddressInfo).port, seen }
}

const secured = (cert: string, options: TlsOptions = {}) => listen((take) => createTls({ cert, key: certificates.key, ...options }, take))

interface AttemptRow {
  http_code: number | null
  reason: string | null
  duration_ms: number
}

function waitForAttempts(endpointId: string, count: number): Promise<AttemptRow[]> {
  return eventually(async () => {
    const rows = await webhooks.rows<AttemptRow>(
      'select http_code, reason, duration_ms from webhook_attempts where endpoint_id = $1 order by created_at',
      [endpointId],
    )
    expect(rows).toHaveLength(count)
    return rows
  })
}

test('blocks a name that resolves to a private address without connecting [fault 31]', async () => {
  names.setAddresses('inside.hooks.test', ['10.0.0.1', '169.254.169.254'])
  const endpoint = await webhooks.endpoint({ url: 'https://inside.hooks.test/', events: ['order.paid'] })
  await webhooks.publishEvents([orderPaid])
  expect((await waitForAttempts(endpoint.id, 2)).map(({ reason }) => reason)).toEqual(['destination_blocked', 'destination_blocked'])
  const unknown = await webhooks.endpoint({ url: 'https://unknown.hooks.test/', events: ['order.created'] })
  await webhooks.rows(`update webhook_endpoints set events = '{order.paid}' where id = $1`, [unknown.id])
  await webhooks.publishEvents([orderPaid])
  expect((await waitForAttempts(unknown.id, 2))[0]).toMatchObject({ reason: 'dns_error' })
})

test('blocks the second attempt if its name then resolves to a private address [fault 32]', async () => {
  const refusing = 'HTTP/1.1 500 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'
  // The name changes before the first response: the second attempt may follow at once.
  const rebind = (socket: Socket) => {
    names.setAddresses('rebinding.hooks.test', ['192.168.0.1'])
    socket.end(refusing)
  }
  const { port, seen } = await listen(
    (take) =>
      createTls({ cert: certificates.good, key: certificates.key }, (socket) => {
        take(socket)
        socket.once('data', () => rebind(socket))
      }),
    null,
  )
  names.setAddresses('rebinding.hooks.test', ['127.0.0.1'])
  const endpoint = await webhooks.endpoint({ url: `https://rebinding.hooks.test:${port}/`, events: ['order.paid'] })
  await webhooks.publishEvents([orderPaid])
  await eventually(() => expect(seen.text).toContain('POST / '))
  expect((await waitForAttempts(endpoint.id, 2)).map(({ http_code, reason }) => [http_code, reason])).toEqual([
    [500, 'http_status'],
    [null, 'destination_blocked'],
  ])
  expect(seen.connections).toBe(1)
})

test('delivers to a name whose IPv6 addresses are never answered', async () => {
  trustCertificate(certificates.authority)
  const { port } = await secured(certificates.good)
  names.setAddresses('good.hooks.test', ['127.0.0.1'])
  names.dropIpv6Queries('good.hooks.test')
  const endpoint = await webhooks.endpoint({ url: `https://good.hooks.test:${port}/`, events: ['order.paid'] })
  await webhooks.publishEvents([orderPaid])
  expect(await waitForAttempts(endpoint.id, 1)).toMatchObject([{ http_code: 200, reason: null }])
})

test('sends nothing if TLS is too old, hangs or has an untrusted or wrong certificate [fault 35]', async () => {
  // Without it, all of them would fail for the same reason.
  expect(trustCertificate(certificates.authority).map((certificate) => certificate.trim())).toContain(certificates.authority)
  const servers = {
    expired: await secured(certificates.expired),
    other: await secured(certificates.otherHost),
    self: await secured(certificates.selfSigned),
    old: await secured(certificates.good, { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }),
    hanging: await listen((take) => createTcp(take), null),
    good: await secured(certificates.good),
  }
  const endpoints: Record<string, string> = {}
  for (const [name, { port }] of Object.entries(servers)) {
    names.setAddresses(`${name}.hooks.test`, ['127.0.0.1'])
    endpoints[name] = (await webhooks.endpoint({ url: `https://${name}.hooks.test:${port}/`, events: ['order.updated'] })).id
  }
  await webhooks.rows(`update webhook_endpoints set events = '{order.paid}' where id = any($1)`, [Object.values(endpoints)])
  await webhooks.publishEvents([orderPaid])
  expect((await waitForAttempts(endpoints['good'] ?? '', 1))[0]).toMatchObject({ http_code: 200, reason: null })
  for (const name of ['expired', 'other', 'self', 'old', 'hanging']) {
    const made = await waitForAttempts(endpoints[name] ?? '', 2)
    for (const { reason, duration_ms } of made) {
      expect([name, reason]).toEqual([name, 'tls_error'])
      expect(duration_ms).toBeLessThan(6_000)
    }
    expect(servers[name as keyof typeof servers].seen.text).not.toContain('order.paid')
  }
})
