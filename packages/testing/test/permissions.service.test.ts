import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { natsUsers, type NatsUser } from '@quittance/contracts/permissions'
import { events, operations } from '@quittance/contracts/registry'
import { serviceNames } from '@quittance/contracts/services'
import { eventStream, subscriptions } from '@quittance/contracts/streams'
import { connectNats, ensureStream, type NatsConnection } from '@quittance/runtime/nats'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startNatsServer, type NatsServer } from '../src/engines/nats-server.ts'
import { eventually } from '../src/eventually.ts'

/** A connection of a user, and what the server has refused it so far, as `publish orders.order.get`. */
interface Guest {
  connection: NatsConnection
  refused: string[]
}

const folder = mkdtempSync(join(tmpdir(), 'quittance-permissions-'))
const guests = {} as Record<NatsUser, Guest>
let server: NatsServer

beforeAll(async () => {
  server = await startNatsServer({ dataDir: join(folder, 'nats') })
  for (const user of natsUsers) guests[user] = await enter(user)
  await ensureStream(await guests.orders.connection.jetstreamManager({ checkAPI: false }))
})

afterAll(async () => {
  await Promise.all(Object.values(guests).map(({ connection }) => connection.close()))
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
})

const services = serviceNames.filter((name) => name !== 'gateway')

test.each(services)('%s cannot speak as the gateway does: none of its requests reaches a service', async (user) => {
  const heard: string[] = []
  const ears = services.map((name) => guests[name].connection.subscribe(`${name}.>`, { callback: (_, { subject }) => heard.push(subject) }))
  await expectRefused(user, { publish: operations.map(({ subject }) => subject) })
  await Promise.all(services.map((name) => guests[name].connection.flush()))
  expect(heard).toEqual([])
  for (const ear of ears) ear.unsubscribe()
})

test('the gateway asks every service and hears the answer, so what is refused to others is refused for a reason', async () => {
  for (const name of services) {
    const ear = guests[name].connection.subscribe(`${name}.>`, { callback: (_, message) => void message.respond('here') })
    await guests[name].connection.flush()
    const answer = await guests.gateway.connection.request(`${name}.anything.get`, undefined, { timeout: 5_000 })
    expect(answer.string()).toBe('here')
    ear.unsubscribe()
  }
})

test.each(natsUsers)('%s reads no answer to another, and takes no request that is for another service', async (user) => {
  const others = natsUsers.filter((name) => name !== user)
  const inboxes = others.flatMap((name) => [`_INBOX_${name}.>`, `_INBOX_${name}.abc.*`])
  const requests = services.filter((name) => name !== user).map((name) => `${name}.>`)
  await expectRefused(user, { subscription: [...inboxes, ...requests, '>', '_INBOX.>'] })
})

test.each(serviceNames)('%s tells no event that is not its own', async (user) => {
  for (const { subject } of events.filter(({ publisher }) => publisher === user)) {
    await guests[user].connection.jetstream().publish(subject, '{}')
  }
  await expectRefused(user, { publish: events.filter(({ publisher }) => publisher !== user).map(({ subject }) => subject) })
})

test.each(serviceNames)('%s moves no consumer of another, and neither reads nor empties the stream past its own', async (user) => {
  const { name } = eventStream
  const others = Object.values(subscriptions).filter(({ service }) => service !== user)
  const consumers = others.flatMap(({ durable }) => [
    ...['INFO', 'DELETE', 'DURABLE.CREATE', 'CREATE', 'MSG.NEXT'].map((verb) => `$JS.API.CONSUMER.${verb}.${name}.${durable}`),
    `$JS.ACK.${name}.${durable}.1.1.1.1.0`,
  ])
  const stream = ['DELETE', 'PURGE', 'MSG.GET', 'MSG.DELETE'].map((verb) => `$JS.API.STREAM.${verb}.${name}`)
  await expectRefused(user, { publish: [...consumers, ...stream, `$JS.API.DIRECT.GET.${name}`] })
})

test.each(services)('%s may do with its own consumers what it needs', async (user) => {
  const before = guests[user].refused.length
  const manager = await guests[user].connection.jetstreamManager({ checkAPI: false })
  for (const { durable, subject } of Object.values(subscriptions).filter(({ service }) => service === user)) {
    await manager.consumers.add(eventStream.name, { durable_name: durable, filter_subject: subject, ack_policy: 'explicit' as never })
    const consumer = await guests[user].connection.jetstream().consumers.get(eventStream.name, durable)
    for await (const message of await consumer.fetch({ max_messages: 1, expires: 1_000 })) message.ack()
    await manager.consumers.delete(eventStream.name, durable)
  }
  await guests[user].connection.flush()
  expect(guests[user].refused.slice(before)).toEqual([])
})

test('a user without a name or with a wrong password does not come in', async () => {
  const at = new URL(server.url('orders'))
  for (const credentials of ['', 'orders:wrong@', 'gateway:gateway@']) {
    const url = `nats://${credentials}${at.host}`
    await expect(connectNats({ name: 'stranger', url })).rejects.toThrow(/authorization/i)
  }
})

async function enter(user: NatsUser): Promise<Guest> {
  const connection = await connectNats({ name: user, url: server.url(user) })
  const refused: string[] = []
  void (async () => {
    for await (const { permissionContext } of connection.status() as AsyncIterable<{ permissionContext?: Refusal }>) {
      if (permissionContext) refused.push(`${permissionContext.operation} ${permissionContext.subject}`)
    }
  })()
  return { connection, refused }
}

interface Refusal {
  operation: string
  subject: string
}

/** The server tells of each refusal; what it let through would not be among them. */
async function expectRefused(user: NatsUser, tries: { publish?: string[]; subscription?: string[] }): Promise<void> {
  const { connection, refused } = guests[user]
  for (const subject of tries.publish ?? []) connection.publish(subject, '{}')
  for (const subject of tries.subscription ?? []) connection.subscribe(subject, { callback: () => {} })
  await connection.flush()
  const wanted = Object.entries(tries).flatMap(([verb, subjects]) => subjects.map((subject) => `${verb} ${subject}`))
  expect(wanted.length).toBeGreaterThan(0)
  await eventually(() => expect(refused).toEqual(expect.arrayContaining(wanted)))
}
