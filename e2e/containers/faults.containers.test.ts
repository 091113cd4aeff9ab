import { setTimeout as pause } from 'node:timers/promises'
import { eventStream } from '@quittance/contracts/streams'
import { startEndpointSink, type EndpointSink } from '@quittance/testing/endpoint-sink'
import { eventually } from '@quittance/testing/eventually'
import { readStream, streamInfo, type StreamedEvent } from '@quittance/testing/stream'
import { callApi } from '@quittance/testing/system'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startLoad, type Load } from './load.ts'
import { startReplicatedSystem, type ReplicatedSystem, type RunningContainer } from './replicated-system.ts'

/** Request deadline of the gateway, plus the time this machine needs to detect it. */
const deadlineMs = 10_000 + 2_000
/** Unavailable, or still being processed: a client repeats the request with the same key. */
const retryableStatuses = new Set(['503', '409'])
const maxEventGapMs = 15_000

let system: ReplicatedSystem
let sink: EndpointSink
let initialContainers: RunningContainer[]
/** Ids of all acknowledged customers. */
const acknowledgedIds: string[] = []

beforeAll(async () => {
  system = await startReplicatedSystem()
  sink = await startEndpointSink(0, system.hostAddress)
  const { status, body } = await api('POST', '/v1/webhooks/endpoints', { url: sink.url, events: ['customer.created'] })
  if (status !== 201) throw new Error(JSON.stringify(body))
  initialContainers = await system.containers()
})

afterAll(async () => {
  await system?.[Symbol.asyncDispose]()
  await sink?.[Symbol.asyncDispose]()
})

test('runs two unprivileged, read-only replicas per service; three servers store each event [98]', async () => {
  const services = ['gateway', 'auth', 'orders', 'invoices', 'webhooks', 'mail', 'usage']
  const containersFor = (name: string) => initialContainers.filter(({ service }) => service === name)
  for (const name of services) {
    expect(containersFor(name)).toHaveLength(2)
    for (const container of containersFor(name)) expect(container).toMatchObject({ user: '1000:1000', isReadOnly: true })
  }
  const { config, cluster } = await streamInfo(system.streamUrl)
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
    fault: 'disconnected from the others',
    strike: async (leader: string) => {
      for (const network of system.natsNetworks) await system.docker('network', 'disconnect', network, leader)
    },
    heal: async (leader: string) => {
      for (const network of system.natsNetworks) await system.docker('network', 'connect', '--alias', leaderAlias, network, leader)
    },
  },
])('no event is lost or duplicated, no request hangs, publishing resumes: stream leader $fault', async ({ strike, heal }) => {
  const before = await readBaseline()
  await using load = startLoad(system)
  await waitUntilGrowing(load)
  const { cluster } = await streamInfo(system.streamUrl)
  leaderAlias = cluster?.leader ?? ''
  const leader = findContainerId(leaderAlias)
  await strike(leader)
  const electedAt = await eventually(requireNewLeader, { withinMs: 40_000 })
  await eventually(async () => expect((await readEventsSince(before)).at(-1)?.storedAt.getTime()).toBeGreaterThan(electedAt), {
    withinMs: 40_000,
  })
  await heal(leader)
  await waitUntilGrowing(load)
  await load.stop()
  await eventually(assertReplicasCurrent, { withinMs: 60_000 })
  await expectAllExactlyOnce(load, before)
  await expectAcceptableResponses(load)
  expect(computeMaxGapMs(await readEventsSince(before))).toBeLessThan(maxEventGapMs)
})
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
])('services survive, no acknowledged write is lost and none is repeated: PostgreSQL $fault', async ({ strike }) => {
  const before = await readBaseline()
  await using load = startLoad(system)
  await waitUntilGrowing(load)
  await strike(findContainerId('postgres'))
  await waitUntilGrowing(load)
  await load.stop()
  await expectAllExactlyOnce(load, before)
  await expectAcceptableResponses(load)
  const toLifetimes = (containers: RunningContainer[]) =>
    containers
      .filter(({ service }) => service !== 'postgres' && !service.startsWith('nats'))
      .map(({ id, startedAt }) => `${id} ${startedAt}`)
  expect(toLifetimes(await system.containers()).toSorted()).toEqual(toLifetimes(initialContainers).toSorted())
})

// Runs last: an interrupted delivery is retried after half a minute.
test('the endpoint has received an event for every customer after all faults', async () => {
  expect(acknowledgedIds.length).toBeGreaterThan(100)
  const missing = () => {
    const delivered = new Set(sink.received.map(({ body }) => JSON.parse(body).data.id))
    return acknowledgedIds.filter((id) => !delivered.has(id))
  }
  await eventually(() => expect(missing()).toEqual([]), { withinMs: 90_000 })
})

function api(method: string, path: string, body?: unknown) {
  return callApi(`${system.gateways[0]}${path}`, { method, token: system.token, body })
}

function findContainerId(service: string): string {
  const found = initialContainers.find((container) => container.service === service)
  if (!found) throw new Error(`There is no container of ${service}`)
  return found.id
}

/** Events and customers that exist before a test. */
interface Baseline {
  sequence: number
  customers: number
}

async function readBaseline(): Promise<Baseline> {
  return { sequence: (await streamInfo(system.streamUrl)).state.last_seq, customers: await countCustomers() }
}

/** Retries like any client: the previous fault may still have effects. */
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

async function readEventsSince({ sequence }: Pick<Baseline, 'sequence'>): Promise<StreamedEvent[]> {
  const events = await readStream(system.streamUrl, sequence + 1)
  return events.filter(({ subject }) => subject === 'event.customer.created')
}

/** Returns the time at which another server is the leader; throws before. */
async function requireNewLeader(): Promise<number> {
  const { cluster } = await streamInfo(system.streamUrl)
  expect(cluster?.leader).toBeTruthy()
  expect(cluster?.leader).not.toBe(leaderAlias)
  return Date.now()
}

async function assertReplicasCurrent(): Promise<void> {
  const { cluster } = await streamInfo(system.streamUrl)
  expect(cluster?.replicas?.map(({ current }) => current)).toEqual([true, true])
}

/** Asserts that no request exceeded its deadline and that every rejection was retryable. */
async function expectAcceptableResponses(load: Load): Promise<void> {
  expect(await system.internalErrors()).toEqual([])
  expect(load.slowestMs()).toBeLessThan(deadlineMs)
  expect(Object.keys(load.rejections()).filter((status) => !retryableStatuses.has(status))).toEqual([])
}

/** Returns the longest time between two published events, in milliseconds. */
function computeMaxGapMs(events: StreamedEvent[]): number {
  const moments = events.map(({ storedAt }) => storedAt.getTime())
  return Math.max(...moments.slice(1).map((moment, index) => moment - (moments[index] as number)))
}

/** Waits until more than ten further customers are acknowledged. */
async function waitUntilGrowing(load: Load): Promise<void> {
  const { length } = load.acknowledged
  await eventually(() => expect(load.acknowledged.length).toBeGreaterThan(length + 10), { withinMs: 60_000 })
}

async function expectAllExactlyOnce(load: Load, { sequence, customers }: Baseline): Promise<void> {
  const ids = load.acknowledged.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  const published = await eventually(
    async () => {
      const events = await readEventsSince({ sequence })
      expect(events.length).toBeGreaterThanOrEqual(ids.length)
      return events
    },
    { withinMs: 30_000 },
  )
  expect(published.map(({ aggregateId }) => aggregateId).toSorted()).toEqual(ids.toSorted())
  acknowledgedIds.push(...ids)
  expect(await countCustomers()).toBe(customers + ids.length)
}
