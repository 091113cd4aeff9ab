import { setTimeout as pause } from 'node:timers/promises'
import { eventStream } from '@quittance/contracts/streams'
import { startEndpointSink, type EndpointSink } from '@quittance/testing/endpoint-sink'
import { eventually } from '@quittance/testing/eventually'
import { readStream, streamInfo, type StreamedEvent } from '@quittance/testing/stream'
import { callApi } from '@quittance/testing/system'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startLoad, type Load } from './load.ts'
import { startReplicatedSystem, type ReplicatedSystem, type RunningContainer } from './replicated-system.ts'

/** What the gateway lets a request take, and what this machine takes to notice. */
const deadlineMs = 10_000 + 2_000
/** Not reachable, or still being answered: what a client repeats under the same key. */
const askAgain = new Set(['503', '409'])
const goesOnWithinMs = 15_000

let system: ReplicatedSystem
let sink: EndpointSink
let atStart: RunningContainer[]
/** Ids of all customers that were acknowledged. */
const everybody: string[] = []

beforeAll(async () => {
  system = await startReplicatedSystem()
  sink = await startEndpointSink(0, system.hostAddress)
  const { status, body } = await api('POST', '/v1/webhooks/endpoints', { url: sink.url, events: ['customer.created'] })
  if (status !== 201) throw new Error(JSON.stringify(body))
  atStart = await system.containers()
})

afterAll(async () => {
  await system?.[Symbol.asyncDispose]()
  await sink?.[Symbol.asyncDispose]()
})

test('two of each service run, as nobody special on a disk they cannot write, and every event lies on three servers (checklist 98)', async () => {
  const services = ['gateway', 'auth', 'orders', 'invoices', 'webhooks']
  const of = (name: string) => atStart.filter(({ service }) => service === name)
  for (const name of services) {
    expect(of(name)).toHaveLength(2)
    for (const container of of(name)) expect(container).toMatchObject({ user: '1000:1000', isReadOnly: true })
  }
  const { config, cluster } = await streamInfo(system.operatorUrl)
  expect(config).toMatchObject({ name: eventStream.name, num_replicas: 3 })
  expect(new Set([cluster?.leader, ...(cluster?.replicas ?? []).map(({ name }) => name)])).toEqual(new Set(['nats', 'nats-2', 'nats-3']))
})

test.each([
  {
    fault: 'killed',
    strike: (leader: string) => system.docker('kill', leader),
    heal: (leader: string) => system.docker('start', leader),
  },
  {
    fault: 'frozen',
    strike: (leader: string) => system.docker('pause', leader),
    heal: (leader: string) => system.docker('unpause', leader),
  },
  {
    fault: 'cut off from the others',
    strike: (leader: string) => system.docker('network', 'disconnect', system.network, leader),
    heal: (leader: string) => system.docker('network', 'connect', '--alias', leaderAlias, system.network, leader),
  },
])(
  'when the leader of the stream is $fault, no event is lost or told twice, no request hangs, and telling goes on',
  async ({ strike, heal }) => {
    const before = await whatThereIs()
    await using load = startLoad(system)
    await untilGrowing(load)
    const { cluster } = await streamInfo(system.operatorUrl)
    leaderAlias = cluster?.leader ?? ''
    const leader = containerOf(leaderAlias)
    await strike(leader)
    const electedAt = await eventually(newLeaderSince, { withinMs: 40_000 })
    await eventually(async () => expect((await toldSince(before)).at(-1)?.storedAt.getTime()).toBeGreaterThan(electedAt), {
      withinMs: 40_000,
    })
    await heal(leader)
    await untilGrowing(load)
    await load.stop()
    await eventually(copiesAreCurrent, { withinMs: 60_000 })
    await expectEverythingOnce(load, before)
    await expectGoodAnswers(load)
    expect(longestSilence(await toldSince(before))).toBeLessThan(goesOnWithinMs)
  },
)
let leaderAlias = ''

test.each([
  { fault: 'restarted', strike: async (postgres: string) => void (await system.docker('restart', postgres)) },
  {
    fault: 'killed',
    strike: async (postgres: string) => {
      await system.docker('kill', postgres)
      await system.docker('start', postgres)
    },
  },
  {
    fault: 'frozen for five seconds',
    strike: async (postgres: string) => {
      await system.docker('pause', postgres)
      await pause(5_000)
      await system.docker('unpause', postgres)
    },
  },
])('when PostgreSQL is $fault, every service survives, nothing acknowledged is lost and nothing is done twice', async ({ strike }) => {
  const before = await whatThereIs()
  await using load = startLoad(system)
  await untilGrowing(load)
  await strike(containerOf('postgres'))
  await untilGrowing(load)
  await load.stop()
  await expectEverythingOnce(load, before)
  await expectGoodAnswers(load)
  const lives = (containers: RunningContainer[]) =>
    containers
      .filter(({ service }) => service !== 'postgres' && !service.startsWith('nats'))
      .map(({ id, startedAt }) => `${id} ${startedAt}`)
  expect(lives(await system.containers()).toSorted()).toEqual(lives(atStart).toSorted())
})

// Last, because what broke off waits half a minute before it is sent again.
test('after all of this, of every customer the endpoint was told', async () => {
  expect(everybody.length).toBeGreaterThan(100)
  const missing = () => {
    const delivered = new Set(sink.received.map(({ body }) => JSON.parse(body).data.id))
    return everybody.filter((id) => !delivered.has(id))
  }
  await eventually(() => expect(missing()).toEqual([]), { withinMs: 90_000 })
})

function api(method: string, path: string, body?: unknown) {
  return callApi(`${system.gateways[0]}${path}`, { method, token: system.token, body })
}

function containerOf(service: string): string {
  const found = atStart.find((container) => container.service === service)
  if (!found) throw new Error(`There is no container of ${service}`)
  return found.id
}

/** What earlier tests have left. */
interface Before {
  sequence: number
  customers: number
}

async function whatThereIs(): Promise<Before> {
  return { sequence: (await streamInfo(system.operatorUrl)).state.last_seq, customers: await countCustomers() }
}

/** Asked again like any client does: what broke before may still be noticed. */
function countCustomers(): Promise<number> {
  return eventually(
    async () => {
      const { status, body } = await api('GET', '/v1/customers/?limit=1')
      if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
      return body.pagination.total_count as number
    },
    { withinMs: 30_000 },
  )
}

async function toldSince({ sequence }: Pick<Before, 'sequence'>): Promise<StreamedEvent[]> {
  const events = await readStream(system.operatorUrl, sequence + 1)
  return events.filter(({ subject }) => subject === 'event.customer.created')
}

/** The moment at which another server is seen to lead. */
async function newLeaderSince(): Promise<number> {
  const { cluster } = await streamInfo(system.operatorUrl)
  expect(cluster?.leader).toBeTruthy()
  expect(cluster?.leader).not.toBe(leaderAlias)
  return Date.now()
}

async function copiesAreCurrent(): Promise<void> {
  const { cluster } = await streamInfo(system.operatorUrl)
  expect(cluster?.replicas?.map(({ current }) => current)).toEqual([true, true])
}

/** No request waited longer than it may, and none was told more than to ask again. */
async function expectGoodAnswers(load: Load): Promise<void> {
  expect(await system.faults()).toEqual([])
  expect(load.slowestMs()).toBeLessThan(deadlineMs)
  expect(Object.keys(load.refusals()).filter((status) => !askAgain.has(status))).toEqual([])
}

/** Longest time between two events that were told, in milliseconds. */
function longestSilence(events: StreamedEvent[]): number {
  const moments = events.map(({ storedAt }) => storedAt.getTime())
  return Math.max(...moments.slice(1).map((moment, index) => moment - (moments[index] as number)))
}

/** Work is done again: ten customers more, each acknowledged. */
async function untilGrowing(load: Load): Promise<void> {
  const { length } = load.acknowledged
  await eventually(() => expect(load.acknowledged.length).toBeGreaterThan(length + 10), { withinMs: 60_000 })
}

async function expectEverythingOnce(load: Load, { sequence, customers }: Before): Promise<void> {
  const ids = load.acknowledged.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  const told = await eventually(
    async () => {
      const events = await toldSince({ sequence })
      expect(events.length).toBeGreaterThanOrEqual(ids.length)
      return events
    },
    { withinMs: 30_000 },
  )
  expect(told.map(({ aggregateId }) => aggregateId).toSorted()).toEqual(ids.toSorted())
  everybody.push(...ids)
  expect(await countCustomers()).toBe(customers + ids.length)
}
