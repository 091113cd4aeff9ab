import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tokenRevoked } from '@quittance/contracts/auth'
import type { Caller } from '@quittance/contracts/caller'
import { customerDeleted } from '@quittance/contracts/customers'
import { headers } from '@quittance/contracts/headers'
import { operation } from '@quittance/contracts/operation'
import { events } from '@quittance/contracts/registry'
import { eventStream, durableConsumers } from '@quittance/contracts/streams'
import { signRequest } from '@quittance/runtime/internal/bus/request-signature'
import { startProvisioner } from '@quittance/runtime/bus/provision'
import { subscribeToEvent } from '@quittance/runtime/bus/subscribe-to-event'
import { query } from '@quittance/runtime/handler'
import { metrics } from '@quittance/runtime/metrics'
import { createLogger } from '@quittance/runtime/logger'
import { connectNats, natsHeaders, type NatsConnection } from '@quittance/runtime/nats-connection'
import { call } from '@quittance/runtime/rpc-client'
import { startService } from '@quittance/runtime/service'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { signedEventHeaders, testBusSettings, testIdentity } from '../src/bus.ts'
import { startNatsServer, type NatsServer } from '../src/engines/nats-server.ts'
import { eventually } from '../src/eventually.ts'
import { natsServersUnderTest } from './nats-servers.ts'
import { deliverTo, forgeries, ownEvent, provokeReplies, recordDenials, type Thief } from './stolen-credentials.ts'

const owners = ['auth', 'orders', 'invoices', 'webhooks', 'mail', 'usage'] as const
type Owner = (typeof owners)[number]
/** Whether a service may publish anything that the server could be made to deliver elsewhere. */
const isPublisher = (user: Owner) => ownEvent({ user }) !== null
const operator: Caller = { kind: 'operator' }
const anonymous: Caller = { kind: 'anonymous' }
const log = createLogger('test', 'silent')

/** An operation of each service, as a stand-in for those that create accounts and tokens. */
const createReadOperation = (owner: Owner) =>
  operation({ subject: `${owner}.record.read`, summary: 'Read a record', request: z.looseObject({}), reply: z.object({}), errors: [] })
const createResetOperation = (owner: Owner) => ({
  ...createReadOperation(owner),
  subject: `${owner}.record.reset` as const,
  audience: 'operator' as const,
})

describe.each(await natsServersUnderTest())('on %s', (program) => {
  const folder = mkdtempSync(join(tmpdir(), 'quittance-attacks-'))
  /** Callers for which a handler was run. */
  const handled: { owner: Owner; caller: Caller }[] = []
  const revocations: unknown[] = []
  const closers: (() => Promise<unknown>)[] = []
  let server: NatsServer
  let stream: NatsConnection
  let gateway: NatsConnection
  const thieves = {} as Record<Owner, Thief>

  beforeAll(async () => {
    server = await startNatsServer({ dataDir: join(folder, 'nats'), program })
    const connect = async (user: Parameters<NatsServer['url']>[0], identity?: Parameters<typeof testIdentity>[0]) => {
      const connection = await connectNats({ name: user, url: server.url(user), identity: identity && testIdentity(identity) })
      closers.unshift(() => connection.close())
      return connection
    }
    stream = await connect('stream')
    gateway = await connect('gateway', 'gateway')
    const provisioner = startProvisioner({
      connection: await connect('provisioner'),
      log,
      replicas: 1,
      ackWaitMs: 2_000,
      checkEveryMs: 1_000,
    })
    closers.unshift(async () => provisioner.close())
    await provisioner.ready
    for (const owner of owners) {
      const config = { NATS_URL: server.url(owner), ...testBusSettings(owner), LOG_LEVEL: 'silent' as const }
      const recordingHandler = (operation: ReturnType<typeof createReadOperation>) =>
        query(operation, (_, { caller }) => {
          handled.push({ owner, caller })
          return {}
        })
      const { stop } = await startService(
        { name: owner, handlers: [recordingHandler(createReadOperation(owner)), recordingHandler(createResetOperation(owner))] },
        { config },
      )
      closers.unshift(async () => stop())
      const subscription = Object.values(durableConsumers).find(({ service }) => service === owner)
      thieves[owner] = { user: owner, connection: await connect(owner), durable: subscription?.durable ?? null }
    }
    const subscriber = { connection: gateway, identity: testIdentity('gateway'), acceptsUnsigned: false, log }
    subscribeToEvent(subscriber, tokenRevoked, (payload) => revocations.push(payload))
    subscribeToEvent(subscriber, customerDeleted, ({ id }) => revocations.push(id))
    await gateway.flush()
  })

  afterAll(async () => {
    for (const close of closers) await close()
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('every service replies to the gateway, so rejections below have a reason', async () => {
    for (const owner of owners)
      expect(await call(gateway, { operation: createReadOperation(owner), request: {}, caller: anonymous })).toEqual({})
    expect(handled.splice(0)).toHaveLength(owners.length)
  })

  test('the gateway’s key cannot act as the operator or call operator-only operations', async () => {
    const before = await rejections('request', 'not-permitted')
    for (const owner of owners) {
      await expect(call(gateway, { operation: createReadOperation(owner), request: {}, caller: operator })).rejects.toThrow(
        'not authenticated',
      )
      await expect(call(gateway, { operation: createResetOperation(owner), request: {}, caller: anonymous })).rejects.toThrow(
        'not authenticated',
      )
    }
    expect(handled).toEqual([])
    expect(await rejections('request', 'not-permitted')).toBe(before + 2 * owners.length)
  })

  test.each(['{', 'null', '[]', '{"kind":1}'])('the gateway’s key cannot end a process with the caller %s', async (caller) => {
    const before = await rejections('request', 'not-permitted')
    for (const owner of owners) {
      const { subject } = createReadOperation(owner)
      const sent = natsHeaders()
      sent.set(headers.caller, caller)
      sent.set(headers.deadline, String(Date.now() + 5_000))
      signRequest(testIdentity('gateway'), { subject, headers: sent, body: Buffer.from('{}') })
      gateway.publish(subject, '{}', { headers: sent })
    }
    await eventually(async () => expect(await rejections('request', 'not-permitted')).toBe(before + owners.length))
    expect(handled).toEqual([])
  })

  test.each(['{', 'null'])('an unsigned request with the caller %s is rejected and counted where they are accepted', async (caller) => {
    const listing = { ...createReadOperation('mail'), subject: 'mail.record.list' as const }
    const config = { NATS_URL: server.url('mail'), ...testBusSettings('mail'), BUS_AUTHENTICATION: 'optional' as const }
    const asked: Caller[] = []
    const handler = query(listing, (_, context) => {
      asked.push(context.caller)
      return {}
    })
    const { stop } = await startService({ name: 'mail', handlers: [handler] }, { config: { ...config, LOG_LEVEL: 'silent' } })
    const before = await rejections('request', 'unsigned')
    const publish = (text: string) => {
      const sent = natsHeaders()
      sent.set(headers.caller, text)
      gateway.publish(listing.subject, '{}', { headers: sent })
    }
    publish(JSON.stringify(anonymous))
    publish(caller)
    await eventually(async () => expect(await rejections('request', 'unsigned')).toBe(before + 1))
    await eventually(() => expect(asked).toEqual([anonymous]))
    await stop()
  })

  test('rejects a request after a change of its body, caller, deadline or subject', async () => {
    const genuine = () => {
      const sent = natsHeaders()
      sent.set(headers.caller, JSON.stringify(anonymous))
      sent.set(headers.deadline, String(Date.now() + 5_000))
      signRequest(testIdentity('gateway'), { subject: createReadOperation('orders').subject, headers: sent, body: Buffer.from('{}') })
      return { subject: createReadOperation('orders').subject as string, headers: sent, body: '{}' }
    }
    const changes: ((request: ReturnType<typeof genuine>) => void)[] = [
      (request) => (request.body = '{"id":1}'),
      ({ headers: sent }) => sent.set(headers.caller, JSON.stringify({ ...anonymous, extra: 1 })),
      ({ headers: sent }) => sent.set(headers.deadline, String(Date.now() + 50_000)),
      (request) => (request.subject = createReadOperation('webhooks').subject),
      ({ headers: sent }) => sent.set(headers.idempotencyKey, 'another'),
    ]
    const before = await rejections('request', 'forged')
    for (const change of changes) {
      const request = genuine()
      change(request)
      gateway.publish(request.subject, request.body, { headers: request.headers })
    }
    await eventually(async () => expect(await rejections('request', 'forged')).toBe(before + changes.length))
    expect(handled).toEqual([])
  })

  test('does not handle a request whose deadline has passed', async () => {
    await expect(
      call(gateway, { operation: createReadOperation('orders'), request: {}, caller: anonymous, timeoutMs: -1_000 }),
    ).rejects.toThrow()
    await gateway.flush()
    expect(handled).toEqual([])
  })

  test.each(['{', 'null'])('the key of a publisher cannot end a subscriber with the event %s', async (content) => {
    revocations.splice(0)
    const { subject } = customerDeleted
    const id = randomUUID()
    for (const text of [content, JSON.stringify({ id })]) {
      const body = Buffer.from(text)
      const about = { subject, id: randomUUID(), aggregateId: id, occurredAt: new Date().toISOString(), body }
      thieves.orders.connection.publish(subject, body, { headers: signedEventHeaders('orders', about) })
    }
    await eventually(() => expect(revocations).toEqual([id]))
  })

  describe.each(owners)('with the credentials of %s', (user) => {
    test.runIf(isPublisher(user))('a forged caller that the server is made to deliver reaches no handler', async () => {
      const thief = thieves[user]
      const victims = owners.filter((name) => name !== user)
      const before = await rejections('request', 'unsigned', 'forged')
      let sent = 0
      for (const victim of victims) {
        for (const forged of forgeries(thief, createReadOperation(victim).subject)) {
          await deliverTo(thief, { subject: createReadOperation(victim).subject, headers: forged })
          sent += 1
        }
      }
      await eventually(async () => expect(await rejections('request', 'unsigned', 'forged')).toBeGreaterThanOrEqual(before + sent))
      expect(handled).toEqual([])
    })

    test('reply subjects of JetStream can neither delete, purge nor write the stream', async () => {
      const thief = thieves[user]
      const { streams, consumers } = await stream.jetstreamManager({ checkAPI: false })
      const foreign = events.find(({ publisher }) => publisher !== user)?.subject as string
      const others = Object.values(durableConsumers).filter(({ service }) => service !== user)
      const targets = [
        ...['PURGE', 'DELETE', 'UPDATE'].map((verb) => `$JS.API.STREAM.${verb}.${eventStream.name}`),
        ...others.map(({ durable }) => `$JS.API.CONSUMER.DELETE.${eventStream.name}.${durable}`),
        foreign,
      ]
      const readState = async () => (await streams.info(eventStream.name, { subjects_filter: foreign })).state
      const before = await readState()
      let published = 0
      for (const target of targets) published += await provokeReplies(thief, target)
      // The server stores events after it has confirmed that it received them.
      await eventually(async () => expect((await readState()).messages).toBe(before.messages + published))
      await thief.connection.flush()
      const after = await readState()
      expect(after.messages).toBe(before.messages + published)
      expect(after.subjects).toEqual(before.subjects)
      for (const { durable } of others) await consumers.info(eventStream.name, durable)
    })

    test.runIf(isPublisher(user))('rejects an event of another publisher, whatever subject it is delivered on', async () => {
      const thief = thieves[user]
      revocations.splice(0)
      const before = await rejections('event', 'unsigned', 'forged')
      const { subject } = user === tokenRevoked.publisher ? customerDeleted : tokenRevoked
      const body = Buffer.from(
        JSON.stringify({ id: randomUUID(), token_hash: null, grant_id: null, client_id: null, user_id: randomUUID() }),
      )
      const about = { subject, id: randomUUID(), aggregateId: randomUUID(), occurredAt: new Date().toISOString(), body }
      await deliverTo(thief, { subject, headers: signedEventHeaders(user, about), body })
      await eventually(async () => expect(await rejections('event', 'unsigned', 'forged')).toBeGreaterThan(before))
      expect(revocations).toEqual([])
    })

    test('cannot reply for another service: the server denies it and reply subjects are random', async () => {
      const [victim] = owners.filter((name) => name !== user) as [Owner, ...Owner[]]
      const replies: string[] = []
      const silent = { ...createReadOperation(victim), subject: `${victim}.record.silent` as const }
      const subscription = thieves[victim].connection.subscribe(silent.subject, {
        callback: (_, { reply }) => void replies.push(reply ?? ''),
      })
      await thieves[victim].connection.flush()
      const ask = () => call(gateway, { operation: silent, request: {}, caller: anonymous, timeoutMs: 300 })
      await Promise.allSettled(Array.from({ length: 20 }, ask))
      subscription.unsubscribe()
      // 128 random bits in base64url, new for each request.
      expect(new Set(replies.map((reply) => reply.split('.').at(-1))).size).toBe(20)
      for (const reply of replies) expect(reply).toMatch(new RegExp(`^_INBOX_gateway[.]${victim}[.][-\\w]{22}[.][-\\w]{22}$`))
      const { connection } = thieves[user]
      const denied = recordDenials(connection)
      for (const reply of replies) connection.publish(reply, '{}')
      await connection.flush()
      await eventually(() => expect(denied).toEqual(replies))
    })
  })
})

/** Reads `bus_rejected_total` of this process, which runs the services under test. */
async function rejections(kind: 'request' | 'event', ...reasons: string[]): Promise<number> {
  const { values } = (await metrics.getSingleMetric('bus_rejected_total')?.get()) ?? { values: [] }
  const counted = values.filter(({ labels }) => labels['kind'] === kind && reasons.includes(String(labels['reason'])))
  return counted.reduce((sum, { value }) => sum + value, 0)
}
