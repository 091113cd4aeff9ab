import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import type { buildConnector } from 'undici'
import { expect, onTestFinished, test } from 'vitest'
import { isAllowedAddress, parseCidr } from './address-policy.ts'
import { createCheckedConnector, ConnectionError } from './checked-connection.ts'

const loopback = [parseCidr('127.0.0.0/8')]

interface Attempt {
  hostname: string
  port: number
  protocol?: 'http:' | 'https:'
  allowed?: typeof loopback
  deniedPorts?: ReadonlySet<number>
  answers?: string[] | Promise<string[]>
  timeoutMs?: number
}

function connect({
  hostname,
  port,
  protocol = 'http:',
  allowed = loopback,
  deniedPorts = new Set(),
  answers = [],
  timeoutMs = 2_000,
}: Attempt): Promise<Socket> {
  const resolve = async () => {
    const addresses = await answers
    if (addresses.length === 0) throw new ConnectionError('dns_error')
    return addresses
  }
  const connector = createCheckedConnector({
    resolve,
    isPermitted: (target) => isAllowedAddress(target, { networks: allowed, deniedPorts }),
    timeoutMs,
  })
  const target: buildConnector.Options = { hostname, port: String(port), protocol }
  return new Promise((done, fail) => connector(target, (error, socket) => (error ? fail(error) : done(socket as Socket))))
}

/** Starts a server that counts connections and sends nothing by itself. */
async function listen() {
  const sockets: Socket[] = []
  const server = createServer((socket) => void sockets.push(socket.on('error', () => {})))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((closed) => server.close(closed))
  }
  onTestFinished(close)
  return { port: (server.address() as AddressInfo).port, sockets, close }
}

test('does not connect to a private address, literal or resolved', async () => {
  const server = await listen()
  const blocked = { reason: 'destination_blocked' }
  await expect(connect({ hostname: '127.0.0.1', port: server.port, allowed: [] })).rejects.toMatchObject(blocked)
  await expect(connect({ hostname: 'evil.example', port: server.port, allowed: [], answers: ['127.0.0.1', '::1'] })).rejects.toMatchObject(
    blocked,
  )
  await expect(connect({ hostname: '::ffff:127.0.0.1', port: server.port, allowed: [] })).rejects.toMatchObject(blocked)
  expect(server.sockets).toHaveLength(0)
})

test('does not connect to a port of the system itself in an allowed network, by any name', async () => {
  const server = await listen()
  const deniedPorts = new Set([server.port])
  const blocked = { reason: 'destination_blocked' }
  await expect(connect({ hostname: '127.0.0.1', port: server.port, deniedPorts })).rejects.toMatchObject(blocked)
  await expect(connect({ hostname: 'inside.example', port: server.port, deniedPorts, answers: ['127.0.0.1'] })).rejects.toMatchObject(
    blocked,
  )
  expect(server.sockets).toHaveLength(0)
})

test('connects only to the permitted ones of several addresses', async () => {
  const server = await listen()
  const socket = await connect({ hostname: 'mixed.example', port: server.port, answers: ['10.255.255.1', '127.0.0.1', 'fd00::1'] })
  expect(socket.remoteAddress).toBe('127.0.0.1')
  socket.destroy()
})

test('checks the address of a name again for every connection', async () => {
  const server = await listen()
  const answers = ['127.0.0.1']
  const first = await connect({ hostname: 'rebinding.example', port: server.port, answers })
  first.destroy()
  answers[0] = '192.168.0.1'
  await expect(connect({ hostname: 'rebinding.example', port: server.port, answers })).rejects.toMatchObject({
    reason: 'destination_blocked',
  })
})

test('distinguishes a refused connection, an unknown name and a slow resolver', async () => {
  const { port, close } = await listen()
  await close()
  await expect(connect({ hostname: '127.0.0.1', port })).rejects.toMatchObject({ reason: 'connection_failed' })
  await expect(connect({ hostname: 'unknown.example', port })).rejects.toMatchObject({ reason: 'dns_error' })
  const slow = connect({ hostname: 'slow.example', port, answers: new Promise(() => {}), timeoutMs: 20 })
  await expect(slow).rejects.toMatchObject({ reason: 'dns_error' })
})

test('fails if TLS hangs or the reply is plain text, and sends nothing but the handshake', async () => {
  const silent = await listen()
  await expect(connect({ hostname: '127.0.0.1', port: silent.port, protocol: 'https:', timeoutMs: 50 })).rejects.toMatchObject({
    reason: 'tls_error',
  })
  const plain = await listen()
  const answering = connect({ hostname: '127.0.0.1', port: plain.port, protocol: 'https:' })
  while (plain.sockets.length === 0) await new Promise((resolve) => setImmediate(resolve))
  const [hello] = (await once(plain.sockets[0] as Socket, 'data')) as [Buffer]
  plain.sockets[0]?.write('HTTP/1.1 400 Bad Request\r\n\r\n')
  await expect(answering).rejects.toMatchObject({ reason: 'tls_error' })
  expect(hello[0]).toBe(0x16)
})
