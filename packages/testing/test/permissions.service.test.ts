import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { natsUsers, type NatsUser } from '@quittance/contracts/nats-users'
import { events, operations } from '@quittance/contracts/registry'
import { busServiceNames } from '@quittance/contracts/services'
import { eventStream, resetSubject, durableConsumers } from '@quittance/contracts/streams'
import { startProvisioner, type Provisioner } from '@quittance/runtime/bus/provision'
import { recreateDurable } from '@quittance/runtime/internal/messaging/durable-consumer'
import { findMissingEvents } from '@quittance/runtime/internal/messaging/verify-events'
import { createLogger } from '@quittance/runtime/logger'
import { connectNats, natsHeaders, type NatsConnection } from '@quittance/runtime/nats-connection'
import { muxRequest } from '@quittance/runtime/internal/nats/mux-inbox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startNatsServer, type NatsServer } from '../src/engines/nats-server.ts'
import { eventually } from '../src/eventually.ts'

/** A connection of a user, and what the server has denied it so far, as `publish orders.order.get`. */
interface UserConnection {
  connection: NatsConnection
  denied: string[]
}

const folder = mkdtempSync(join(tmpdir(), 'quittance-permissions-'))
const connections = {} as Record<NatsUser, UserConnection>
let server: NatsServer
let provisioner: Provisioner

beforeAll(async () => {
  server = await startNatsServer({ dataDir: join(folder, 'nats') })
  for (const user of natsUsers) connections[user] = await connectUser(user)
  provisioner = startProvisioner(provisioning(connections.provisioner.connection))
  await provisioner.ready
})

afterAll(async () => {
  await provisioner.close()
  await Promise.all(Object.values(connections).map(({ connection }) => connection.close()))
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
})

function provisioning(connection: NatsConnection) {
  return { connection, log: createLogger('provisioner', 'silent'), replicas: 1, ackWaitMs: 2_000, checkEveryMs: 1_000 }
}

const services = busServiceNames.filter((name) => name !== 'gateway' && name !== 'provisioner')
const publishers = busServiceNames.filter((name) => name !== 'provisioner')

test.each(services)('%s cannot act as the gateway: none of its requests reaches a service', async (user) => {
  const received: string[] = []
  const subscriptions = services.map((name) =>
    connections[name].connection.subscribe(`${name}.>`, { callback: (_, { subject }) => received.push(subject) }),
  )
  await expectDenied(user, { publish: operations.map(({ subject }) => subject) })
  await Promise.all(services.map((name) => connections[name].connection.flush()))
  expect(received).toEqual([])
  for (const subscription of subscriptions) subscription.unsubscribe()
})

test('the gateway gets replies from every service, so denials to others have a reason', async () => {
  for (const name of services) {
    const subscription = connections[name].connection.subscribe(`${name}.>`, { callback: (_, message) => void message.respond('here') })
    await connections[name].connection.flush()
    const request = { subject: `${name}.anything.get`, body: Buffer.alloc(0), headers: natsHeaders(), timeoutMs: 5_000 }
    expect((await muxRequest(connections.gateway.connection, request)).string()).toBe('here')
    subscription.unsubscribe()
  }
})

test.each(natsUsers)('%s cannot read replies to others or requests for other services', async (user) => {
  const others = natsUsers.filter((name) => name !== user)
  const inboxes = others.flatMap((name) => [`_INBOX_${name}.>`, `_INBOX_${name}.abc.*`])
  const requests = services.filter((name) => name !== user).map((name) => `${name}.>`)
  await expectDenied(user, { subscription: [...inboxes, ...requests, '>', '_INBOX.>'] })
})

test.each(publishers)('%s publishes its own events and no others', async (user) => {
  for (const { subject } of events.filter(({ publisher }) => publisher === user)) {
    await connections[user].connection.jetstream().publish(subject, '{}')
  }
  await expectDenied(user, { publish: events.filter(({ publisher }) => publisher !== user).map(({ subject }) => subject) })
})

test.each(busServiceNames)('%s cannot use other consumers, nor read or purge the stream except by its own', async (user) => {
  const { name } = eventStream
  const others = Object.values(durableConsumers).filter(({ service }) => service !== user)
  const mayManage = user === 'provisioner'
  const verbs = mayManage ? ['MSG.NEXT'] : ['INFO', 'DELETE', 'DURABLE.CREATE', 'CREATE', 'MSG.NEXT']
  const consumers = others.flatMap(({ durable }) => [
    ...verbs.map((verb) => `$JS.API.CONSUMER.${verb}.${name}.${durable}`),
    `$JS.ACK.${name}.${durable}.1.1.1.1.0`,
  ])
  const reading = mayManage ? [] : ['MSG.GET']
  const stream = ['DELETE', 'PURGE', 'MSG.DELETE', ...reading].map((verb) => `$JS.API.STREAM.${verb}.${name}`)
  await expectDenied(user, { publish: [...consumers, ...stream, `$JS.API.DIRECT.GET.${name}`] })
})

test.each(services)('%s cannot create or change streams or consumers, and resets only its own', async (user) => {
  const { name } = eventStream
  const own = Object.values(durableConsumers).filter(({ service }) => service === user)
  const managing = own.flatMap(({ durable, subject }) =>
    ['DELETE', 'DURABLE.CREATE', 'CREATE']
      .map((verb) => `$JS.API.CONSUMER.${verb}.${name}.${durable}`)
      .concat(`$JS.API.CONSUMER.CREATE.${name}.${durable}.${subject}`),
  )
  const foreign = Object.values(durableConsumers).filter(({ service }) => service !== user)
  const resets = foreign.map(({ durable }) => resetSubject(durable))
  await expectDenied(user, { publish: [...managing, `$JS.API.STREAM.CREATE.${name}`, `$JS.API.STREAM.UPDATE.${name}`, ...resets] })
})

test.each(services)('%s can reply only to requests sent to it', async (user) => {
  const others = services.filter((name) => name !== user)
  const foreign = ['gateway', 'operator'].flatMap((asker) => others.map((owner) => `_INBOX_${asker}.${owner}.instance.token`))
  await expectDenied(user, { publish: [...foreign, ...others.map((name) => `_INBOX_${name}.event.instance.token`)] })
})

test.each(services)('%s has the rights its own consumers need', async (user) => {
  const before = connections[user].denied.length
  for (const subscription of Object.values(durableConsumers).filter(({ service }) => service === user)) {
    const { connection } = connections[user]
    const jetstream = connection.jetstream()
    const manager = await connection.jetstreamManager({ checkAPI: false })
    const durable = { connection, jetstream, manager, subscription, log: createLogger('test', 'silent'), isNeeded: () => true }
    const consumer = await recreateDurable(durable)
    for await (const message of await consumer.fetch({ max_messages: 1, expires: 1_000 })) message.ack()
  }
  await connections[user].connection.flush()
  expect(connections[user].denied.slice(before)).toEqual([])
})

test('a changed time limit of acknowledgements applies to existing consumers, which keep their position', async () => {
  const { connection } = connections.provisioner
  const manager = await connection.jetstreamManager({ checkAPI: false })
  const readAll = () => Promise.all(Object.values(durableConsumers).map(({ durable }) => manager.consumers.info(eventStream.name, durable)))
  const before = await readAll()
  const second = startProvisioner({ ...provisioning(connection), ackWaitMs: 3_000 })
  await second.ready
  await second.close()
  const after = await readAll()
  expect(after.map(({ config }) => config)).toEqual(before.map(({ config }) => ({ ...config, ack_wait: 3_000 * 1e6 })))
  expect(after.map(({ created, ack_floor }) => [created, ack_floor])).toEqual(before.map(({ created, ack_floor }) => [created, ack_floor]))
})

const publishing = services.filter((user) => events.some(({ publisher }) => publisher === user))

test.each(publishing)('%s learns which of its events the stream contains, and nothing else of them', async (user) => {
  const { connection } = connections[user]
  const { subject } = events.find(({ publisher }) => publisher === user) as { subject: string }
  const [id, other] = [randomUUID(), randomUUID()]
  const { seq: sequence } = await connection.jetstream().publish(subject, '{}', { msgID: id })
  const asked = [
    { id, sequence },
    { id: other, sequence },
    { id, sequence: sequence + 1_000 },
  ]
  expect(await findMissingEvents(connection, asked)).toEqual(asked.slice(1))
})

test('rejects a connection without a user name or with a wrong password', async () => {
  const at = new URL(server.url('orders'))
  for (const credentials of ['', 'orders:wrong@', 'gateway:gateway@']) {
    const url = `nats://${credentials}${at.host}`
    await expect(connectNats({ name: 'stranger', url })).rejects.toThrow(/authorization/i)
  }
})

async function connectUser(user: NatsUser): Promise<UserConnection> {
  const connection = await connectNats({ name: user, url: server.url(user) })
  const denied: string[] = []
  void (async () => {
    for await (const { permissionContext } of connection.status() as AsyncIterable<{ permissionContext?: Denial }>) {
      if (permissionContext) denied.push(`${permissionContext.operation} ${permissionContext.subject}`)
    }
  })()
  return { connection, denied }
}

interface Denial {
  operation: string
  subject: string
}

/** The server reports each denial; a permitted operation would be missing from the list. */
async function expectDenied(user: NatsUser, attempts: { publish?: string[]; subscription?: string[] }): Promise<void> {
  const { connection, denied } = connections[user]
  for (const subject of attempts.publish ?? []) connection.publish(subject, '{}')
  for (const subject of attempts.subscription ?? []) connection.subscribe(subject, { callback: () => {} })
  await connection.flush()
  const expected = Object.entries(attempts).flatMap(([verb, subjects]) => subjects.map((subject) => `${verb} ${subject}`))
  expect(expected.length).toBeGreaterThan(0)
  await eventually(() => expect(denied).toEqual(expect.arrayContaining(expected)))
}
