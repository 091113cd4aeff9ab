import { createServer, type AddressInfo, type Socket } from 'node:net'
import pg from 'pg'
import { expect, test } from 'vitest'
import { isUnavailable } from './respond.ts'

test('a server that hangs up, one that is silent, one that is not there, one without a name: each is away', async () => {
  expect(isUnavailable(await failureAt((socket) => socket.destroy()))).toBe(true)
  expect(isUnavailable(await failureAt(() => {}))).toBe(true)
  expect(isUnavailable(await failureOf('postgres://127.0.0.1:1/nothing'))).toBe(true)
  expect(isUnavailable(await failureOf('postgres://no-such-host.invalid/nothing'))).toBe(true)
})

test('a connection that was closed under its user is away too', async () => {
  const client = new pg.Client({ connectionString: 'postgres://127.0.0.1:1/nothing' })
  client.on('error', () => {})
  await client.connect().catch(() => {})
  await client.end()
  const failure = await client.query('select 1').then(
    () => null,
    (error: Error) => error,
  )
  expect(failure).toMatchObject({ message: expect.stringContaining('not queryable') })
  expect(isUnavailable(failure)).toBe(true)
  expect(isUnavailable(new Error('a query failed', { cause: failure }))).toBe(true)
})

test.each([
  ['a full disk', '53100'],
  ['no memory', '53200'],
  ['too many connections', '53300'],
  ['a standby that cannot write', '25006'],
])('a server with %s is away for the moment', (_, code) => {
  expect(isUnavailable(Object.assign(new Error('of PostgreSQL'), { code }))).toBe(true)
})

test('a fault of ours is not excused', () => {
  expect(isUnavailable(new TypeError('undefined is not a function'))).toBe(false)
  expect(isUnavailable(Object.assign(new Error('duplicate key'), { code: '23505' }))).toBe(false)
})

/** How connecting to a server that treats its guests so fails. */
async function failureAt(greet: (socket: Socket) => void): Promise<unknown> {
  const guests = new Set<Socket>()
  const server = createServer((socket) => {
    guests.add(socket.on('error', () => {}))
    greet(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    return await failureOf(`postgres://127.0.0.1:${(server.address() as AddressInfo).port}/nothing`)
  } finally {
    for (const guest of guests) guest.destroy()
    server.close()
  }
}

async function failureOf(connectionString: string): Promise<unknown> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 300 })
  client.on('error', () => {})
  return client.connect().then(
    () => null,
    (error: Error) => error,
  )
}
