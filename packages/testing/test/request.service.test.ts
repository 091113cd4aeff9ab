import { ServiceUnavailable } from '@quittance/contracts/errors'
import { operation } from '@quittance/contracts/operation'
import { connectNats } from '@quittance/runtime/nats-connection'
import { call, forward } from '@quittance/runtime/rpc-client'
import { expect, inject, test } from 'vitest'
import { z } from 'zod'
import { testIdentity } from '../src/bus.ts'

const echo = operation({
  subject: 'orders.echo.say',
  summary: 'Echo',
  request: z.object({ n: z.int() }),
  reply: z.object({ n: z.int() }),
  errors: [],
})
const caller = { kind: 'anonymous' } as const
const connect = () => connectNats({ name: 'w31', url: `nats://w31:w31@${inject('natsHost')}`, identity: testIdentity('gateway') })

test('concurrent requests each get their own reply', async () => {
  const connection = await connect()
  connection.subscribe(echo.subject, { callback: (_error, message) => void message.respond(message.data) })
  await connection.flush()
  const replies = await Promise.all(Array.from({ length: 500 }, (_, n) => call(connection, { operation: echo, request: { n }, caller })))
  expect(replies.map(({ n }) => n)).toEqual(Array.from({ length: 500 }, (_, n) => n))
  await connection.close()
})

test('a subject without responders fails at once, not after the timeout', async () => {
  const connection = await connect()
  const started = performance.now()
  const pending = call(connection, { operation: { ...echo, subject: 'orders.echo.nobody' }, request: { n: 1 }, caller, timeoutMs: 20_000 })
  await expect(pending).rejects.toThrow('not running')
  expect(performance.now() - started).toBeLessThan(2_000)
  await connection.close()
})

test('a late reply times out and does not affect other requests', async () => {
  const connection = await connect()
  const late = Promise.withResolvers<void>()
  connection.subscribe('orders.echo.slow', { callback: (_error, message) => void late.promise.then(() => message.respond('late')) })
  const envelope = { caller: JSON.stringify(caller), timeoutMs: 100 }
  await expect(forward(connection, { subject: 'orders.echo.slow', body: Buffer.from('{}'), envelope })).rejects.toThrow(
    'did not reply in time',
  )
  late.resolve()
  connection.subscribe(echo.subject, { callback: (_error, message) => void message.respond(message.data) })
  await connection.flush()
  expect(await call(connection, { operation: echo, request: { n: 7 }, caller })).toEqual({ n: 7 })
  await connection.close()
})

test('requests in flight when the connection closes are rejected at once', async () => {
  const connection = await connect()
  connection.subscribe('orders.echo.never', { callback: () => {} })
  await connection.flush()
  const pending = call(connection, { operation: { ...echo, subject: 'orders.echo.never' }, request: { n: 1 }, caller, timeoutMs: 20_000 })
  await Promise.all([expect(pending).rejects.toThrow(ServiceUnavailable), connection.close()])
})
