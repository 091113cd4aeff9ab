import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectNats, type NatsConnection } from '@quittance/runtime/nats-connection'
import { expect, test } from 'vitest'
import { findNatsServer } from '../src/engines/find-nats-server.ts'
import { freePorts } from '../src/engines/free-ports.ts'
import { startManagedProcess } from '../src/engines/guarded-process.ts'
import { eventually } from '../src/eventually.ts'
import { trustCertificate } from '../src/harness.ts'
import { natsCertificates } from './nats-certificates.ts'

/** Starts nats-server with the certificate; without one it has no TLS. */
async function startServer(certificate?: string) {
  const folder = mkdtempSync(join(tmpdir(), 'quittance-nats-tls-'))
  const at = (name: string) => join(folder, name)
  const [port] = (await freePorts(1)) as [number]
  writeFileSync(at('key.pem'), natsCertificates.key)
  writeFileSync(at('cert.pem'), certificate ?? '')
  const tls = `tls { cert_file: "${at('cert.pem')}", key_file: "${at('key.pem')}" }`
  writeFileSync(at('nats.conf'), `listen: "127.0.0.1:${port}"\n${certificate ? tls : ''}\n`)
  const command = await findNatsServer(() => {})
  const server = startManagedProcess({ command, args: ['-c', at('nats.conf')], logFile: at('nats.log'), signal: 'TERM' })
  await eventually(() => expect(server.output()).toContain('Server is ready'))
  return {
    port,
    async [Symbol.asyncDispose]() {
      await server.stop(5_000)
      rmSync(folder, { recursive: true })
    },
  }
}

const open = (url: string) => connectNats({ name: 'test', url, waitsForServer: false })

/** Returns the reason for which no connection is opened. */
const readReason = (url: string) =>
  open(url).then(
    (connection: NatsConnection) => connection.close().then(() => 'connected'),
    (error: Error) => error.message,
  )

test('tls:// connects with TLS', async () => {
  trustCertificate(natsCertificates.authority)
  await using server = await startServer(natsCertificates.good)
  const connection = await open(`tls://localhost:${server.port}`)
  expect(connection.info).toMatchObject({ tls_required: true })
  await connection.flush()
  await connection.close()
})

test.each(['tls', 'nats'])('%s:// accepts no certificate of another host, and none that is not trusted', async (scheme) => {
  trustCertificate(natsCertificates.authority)
  await using other = await startServer(natsCertificates.ofOtherHost)
  expect(await readReason(`${scheme}://localhost:${other.port}`)).toMatch(/does not match certificate/)
  await using selfSigned = await startServer(natsCertificates.selfSigned)
  expect(await readReason(`${scheme}://localhost:${selfSigned.port}`)).toMatch(/self-signed certificate/)
})

test('tls:// sends no password to a server without TLS', async () => {
  await using server = await startServer()
  const sent: Buffer[] = []
  const proxy = createServer((socket) => {
    const target = connect(server.port, '127.0.0.1')
    socket.on('data', (bytes) => sent.push(bytes))
    socket.on('error', () => {}).pipe(target)
    target.on('error', () => {}).pipe(socket)
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const { port } = proxy.address() as AddressInfo
  expect(await readReason(`nats://orders:plain@127.0.0.1:${port}`)).toBe('connected')
  expect(Buffer.concat(sent).toString()).toContain('plain')
  sent.length = 0
  expect(await readReason(`tls://orders:secret@localhost:${port}`)).toMatch(/cannot be used/)
  expect(Buffer.concat(sent).toString()).toBe('')
  proxy.close()
})

test('a start ends if the certificate of the server is not trusted, instead of waiting', async () => {
  await using server = await startServer(natsCertificates.selfSigned)
  const url = `tls://orders:secret@localhost:${server.port}`
  await expect(connectNats({ name: 'test', url })).rejects.toThrow(/^NATS \(localhost:\d+\) cannot be used: self-signed certificate/)
  await using plain = await startServer()
  await expect(connectNats({ name: 'test', url: `tls://localhost:${plain.port}` })).rejects.toThrow(/the server does not offer TLS/)
})

test.each([
  ['wss://orders:secret@127.0.0.1:4222', /must begin with nats:\/\//],
  ['http://orders:secret@127.0.0.1:4222', /must begin with nats:\/\//],
  ['tls://orders:secret@127.0.0.1:4222', /by its name/],
  ['tls://orders:secret@[::1]:4222', /by its name/],
  ['tls://orders:secret@nats-1:4222,nats://orders:secret@nats-2:4222', /for every server or for none/],
])('rejects %s before it connects', async (url, reason) => {
  const message = await readReason(url)
  expect(message).toMatch(reason)
  expect(message).not.toContain('secret')
})
