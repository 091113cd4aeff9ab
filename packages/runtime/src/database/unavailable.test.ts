import { createServer, type AddressInfo, type Socket } from 'node:net'
import pg from 'pg'
import { expect, test } from 'vitest'
import { isDatabaseUnavailable } from './unavailable.ts'

test('a server that disconnects, is silent, refuses or has no name is unavailable', async () => {
  expect(isDatabaseUnavailable(await readServerError((socket) => socket.destroy()))).toBe(true)
  expect(isDatabaseUnavailable(await readServerError(() => {}))).toBe(true)
  expect(isDatabaseUnavailable(await readConnectError('postgres://127.0.0.1:1/nothing'))).toBe(true)
  expect(isDatabaseUnavailable(await readConnectError('postgres://no-such-host.invalid/nothing'))).toBe(true)
})

test('a connection that was closed while in use counts as unavailable', async () => {
  const client = new pg.Client({ connectionString: 'postgres://127.0.0.1:1/nothing' })
  client.on('error', () => {})
  await client.connect().catch(() => {})
  await client.end()
  const failure = await client.query('select 1').then(
    () => null,
    (error: Error) => error,
  )
  expect(failure).toMatchObject({ message: expect.stringContaining('not queryable') })
  expect(isDatabaseUnavailable(failure)).toBe(true)
  expect(isDatabaseUnavailable(new Error('a query failed', { cause: failure }))).toBe(true)
})

test.each([
  ['a full disk', '53100'],
  ['no memory', '53200'],
  ['too many connections', '53300'],
  ['a standby that cannot write', '25006'],
])('a server with %s counts as temporarily unavailable', (_, code) => {
  expect(isDatabaseUnavailable(Object.assign(new Error('of PostgreSQL'), { code }))).toBe(true)
})

test('an internal error does not count as unavailable', () => {
  expect(isDatabaseUnavailable(new TypeError('undefined is not a function'))).toBe(false)
  expect(isDatabaseUnavailable(Object.assign(new Error('duplicate key'), { code: '23505' }))).toBe(false)
})

/** Returns the error of connecting to a server that treats connections this way. */
async function readServerError(onConnection: (socket: Socket) => void): Promise<unknown> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    onConnection(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    return await readConnectError(`postgres://127.0.0.1:${(server.address() as AddressInfo).port}/nothing`)
  } finally {
    for (const openSocket of sockets) openSocket.destroy()
    server.close()
  }
}

async function readConnectError(connectionString: string): Promise<unknown> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 300 })
  client.on('error', () => {})
  return client.connect().then(
    () => null,
    (error: Error) => error,
  )
}
