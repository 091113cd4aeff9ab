import { randomUUID } from 'node:crypto'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { hashToken, mintToken } from '@quittance/runtime/credential'
import { startService } from '@quittance/runtime/service'
import { organizationCaller } from '@quittance/testing/callers'
import { freePorts } from '@quittance/testing/engines/free-ports'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { gateway } from '../src/service.ts'
import { bearer, invalidCredentialReply, startGateway, verification, verifiedAs } from './start-gateway.ts'

/** Starts a TCP proxy to the message broker whose connections can be cut. */
async function startCutter(target: URL) {
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer((client) => {
    if (isCut) return client.destroy()
    const broker = connect(Number(target.port), target.hostname)
    for (const socket of [client, broker]) sockets.add(socket.on('error', () => {}))
    client.pipe(broker).pipe(client)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      isCut = true
      for (const socket of sockets) socket.destroy()
    },
    restore: () => void (isCut = false),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((done) => server.close(done))
    },
  }
}

test('a revocation that a gateway missed while it was cut off from the broker takes effect', async () => {
  await using first = await startGateway()
  const { config } = first.service
  const url = new URL(config.NATS_URL ?? '')
  await using cutter = await startCutter(url)
  let isRevoked = false
  const accepted = verifiedAs(organizationCaller(randomUUID()))
  await first.play(verification, () => (isRevoked ? invalidCredentialReply : accepted))
  await first.play('orders.order.list', '{"items":[]}')
  const [port] = (await freePorts(1)) as [number]
  process.env['PORT'] = String(port)
  const { stop } = await startService(gateway, {
    config: { ...config, NATS_URL: `nats://${url.username}:${url.password}@127.0.0.1:${cutter.port}` },
  })
  try {
    const get = async (path: string, headers = {}) => (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).status
    const token = mintToken('qt_oat_')
    expect(await get('/v1/orders/', bearer(token))).toBe(200)
    cutter.cut()
    await eventually(async () => expect(await get('/readyz')).toBe(503))
    isRevoked = true
    first.revoke({ token_hash: hashToken(token) })
    await first.service.connection.flush()
    cutter.restore()
    await eventually(async () => expect(await get('/readyz')).toBe(200))
    expect(await get('/v1/orders/', bearer(token))).toBe(401)
  } finally {
    await stop()
  }
})
