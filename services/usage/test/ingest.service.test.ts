import { randomUUID } from 'node:crypto'
import { ResourceNotFound } from '@quittance/contracts/errors'
import { getUsageEvent, ingestUsageEvents, listUsageEventNames, listUsageEvents } from '@quittance/contracts/usage-events'
import { organizationCaller, userCaller } from '@quittance/testing/callers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildEvent, startUsage, type SentEvent, type TestUsage } from './start-usage.ts'

let usage: TestUsage
beforeAll(async () => {
  usage = await startUsage()
})
afterAll(() => usage[Symbol.asyncDispose]())

const ahead = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
const countEvents = async () => Number((await usage.rows<{ count: string }>('select count(*) from usage_events'))[0]?.count)

/** Sends events that are rejected, and returns where; nothing is stored. */
async function rejectAt(events: SentEvent[], caller = usage.caller): Promise<unknown[]> {
  const before = await countEvents()
  const error = await usage.ingest(events, caller).then(
    () => expect.unreachable('accepted'),
    (reason) => reason,
  )
  expect(error.status).toBe(422)
  expect(await countEvents()).toBe(before)
  return error.body.detail.map(({ loc, type }: { loc: string[]; type: string }) => [loc.join('.'), type])
}

test('rejects a time with more digits than PostgreSQL reads at its event', async () => {
  const send = (digits: number) => buildEvent({ timestamp: `2026-03-01T00:00:00.${'1'.repeat(digits)}Z` })
  expect(await rejectAt([send(128), send(129)])).toEqual([['body.events.1.timestamp', 'value_error']])
  expect(await usage.ingest([send(128)])).toEqual({ inserted: 1, duplicates: 0 })
})

describe('customers', () => {
  test('stores an event of an unknown external id without a customer [usage 1]', async () => {
    const name = randomUUID()
    expect(await usage.ingest([buildEvent({ name, external_customer_id: 'nobody-yet' })])).toEqual({ inserted: 1, duplicates: 0 })
    const [event] = await usage.list({ name })
    expect(event).toMatchObject({ name, source: 'user', customer: null, customer_id: null, external_customer_id: 'nobody-yet' })
    expect(event?.metadata).toEqual({ tokens: 5 })
    expect(await usage.call(getUsageEvent, { id: event?.id as string }, usage.caller)).toEqual(event)
  })

  test('shows no event of an external id to another organization with the same id [usage 2]', async () => {
    const other = organizationCaller(randomUUID())
    const external_customer_id = randomUUID()
    await usage.ingest([buildEvent({ external_customer_id, metadata: { of: 'one' } })])
    await usage.ingest([buildEvent({ external_customer_id, metadata: { of: 'two' } })], other)
    expect((await usage.list({ external_customer_id })).map(({ metadata }) => metadata)).toEqual([{ of: 'one' }])
    const [foreign] = await usage.list({ external_customer_id }, other)
    expect(foreign?.metadata).toEqual({ of: 'two' })
    await expect(usage.call(getUsageEvent, { id: foreign?.id as string }, usage.caller)).rejects.toThrow(ResourceNotFound)
    const names = await usage.call(listUsageEventNames, { external_customer_id }, other)
    expect(names.items).toMatchObject([{ name: 'tokens.used', occurrences: 1 }])
  })

  test('rejects the customer_id of another organization at its event, and stores nothing [usage 3]', async () => {
    const foreign = await usage.publishCustomer(usage.buildCustomer({ organization_id: randomUUID() }))
    const own = await usage.publishCustomer()
    const events = [buildEvent({ customer_id: own.id }), buildEvent({ customer_id: foreign.id }), buildEvent({ customer_id: randomUUID() })]
    expect(await rejectAt(events)).toEqual([
      ['body.events.1.customer_id', 'value_error'],
      ['body.events.2.customer_id', 'value_error'],
    ])
  })

  test('requires a customer, and prefers customer_id to external_customer_id', async () => {
    expect(await rejectAt([{ name: 'tokens.used' }])).toEqual([['body.events.0.customer_id', 'missing']])
    const customer = await usage.publishCustomer(usage.buildCustomer({ external_id: randomUUID() }))
    const name = randomUUID()
    await usage.ingest([buildEvent({ name, customer_id: customer.id, external_customer_id: 'someone-else' })])
    expect(await usage.list({ name })).toMatchObject([{ customer_id: customer.id, external_customer_id: customer.external_id, customer }])
  })
})

describe('organizations', () => {
  test('rejects organization_id with an organization credential, and requires it from a user [usage 4]', async () => {
    const { organizationId } = usage
    expect(await rejectAt([buildEvent(), buildEvent({ organization_id: organizationId })])).toEqual([
      ['body.events.1.organization_id', 'organization_token'],
    ])
    const user = userCaller({ userId: randomUUID(), organizationIds: [organizationId, randomUUID()] })
    expect(await rejectAt([buildEvent()], user)).toEqual([['body.events.0.organization_id', 'missing']])
    expect(await rejectAt([buildEvent({ organization_id: randomUUID() })], user)).toEqual([
      ['body.events.0.organization_id', 'value_error'],
    ])
    expect(await usage.ingest([buildEvent({ organization_id: organizationId })], user)).toEqual({ inserted: 1, duplicates: 0 })
  })
})

describe('values', () => {
  const manyKeys = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`key-${index}`, 1]))
  const wrong: [string, unknown, string][] = [
    ['null', { a: null }, 'body.events.0.metadata.a'],
    ['a list', { a: [1] }, 'body.events.0.metadata.a'],
    ['51 keys', manyKeys, 'body.events.0.metadata'],
    ['51 keys inside of an object', { a: manyKeys }, 'body.events.0.metadata'],
    ['a key of 41 characters', { ['k'.repeat(41)]: 1 }, `body.events.0.metadata.${'k'.repeat(41)}`],
    ['an empty text', { a: '' }, 'body.events.0.metadata.a'],
    ['a text of 501 characters', { a: 'x'.repeat(501) }, 'body.events.0.metadata.a'],
    ['an object in an object', { a: { b: { c: 1 } } }, 'body.events.0.metadata.a'],
    ['two keys that are stored as one', { a: { b: 1 }, 'a.b': 2 }, 'body.events.0.metadata.a.b'],
    ['a number above 10¹⁸', { a: 1.1e18 }, 'body.events.0.metadata.a'],
    ['NUL', { a: 'x\0' }, 'body.events.0.metadata.a'],
    ['half a surrogate pair', { a: '\ud800' }, 'body.events.0.metadata.a'],
    ['__proto__', JSON.parse('{"__proto__": 1}'), 'body.events.0.metadata.__proto__'],
  ]

  test.each(wrong)('rejects metadata with %s at its path [usage 5] [usage 18]', async (_, metadata, loc) => {
    const [[at] = []] = (await rejectAt([buildEvent({ metadata: metadata as never })])) as string[][]
    expect(at?.startsWith(loc) || loc.startsWith(`${at}.`)).toBe(true)
  })

  test('stores an object in metadata flat [usage 6]', async () => {
    const name = randomUUID()
    await usage.ingest([buildEvent({ name, metadata: { _llm: { input_tokens: 5, model: 'large' }, _cost: { amount: 0.000_125 } } })])
    const [event] = await usage.list({ name })
    expect(event?.metadata).toEqual({ '_llm.input_tokens': 5, '_llm.model': 'large', '_cost.amount': 0.000_125 })
    expect(await usage.list({ name, metadata: { '_llm.model': 'large' } })).toHaveLength(1)
    expect(await usage.list({ name, metadata: { '_llm.model': 'small' } })).toEqual([])
  })

  test('finds events by a small decimal as JavaScript writes it', async () => {
    const name = randomUUID()
    await usage.ingest([buildEvent({ name, metadata: { rate: 1e-7, share: -2.5e-10, text: '1e-7' } })])
    for (const metadata of [{ rate: '1e-7' }, { share: String(-2.5e-10), rate: '0.0000001' }, { text: '1e-7', share: '-2.5e-10' }])
      expect(await usage.list({ name, metadata })).toHaveLength(1)
    expect(await usage.list({ name, metadata: { rate: '1e-8' } })).toEqual([])
  })

  test('stores numbers as doubles, up to 10¹⁸', async () => {
    const name = randomUUID()
    await usage.ingest([buildEvent({ name, metadata: { bytes: 2 ** 53 + 1, most: 1e18, least: -1e18 } })])
    expect((await usage.list({ name }))[0]?.metadata).toEqual({ bytes: 2 ** 53, most: 1e18, least: -1e18 })
  })

  test('accepts 1,000 events, and rejects 1,001 [usage 7]', async () => {
    const events = Array.from({ length: 1_000 }, (_, index) => buildEvent({ external_customer_id: `reader-${index}` }))
    expect(await usage.ingest(events)).toEqual({ inserted: 1_000, duplicates: 0 })
    expect(await rejectAt([...events, buildEvent()])).toEqual([['body.events', 'too_long']])
    expect(await usage.ingest([])).toEqual({ inserted: 0, duplicates: 0 })
  })

  test('lists at most 100 issues', async () => {
    expect(await rejectAt(Array.from({ length: 1_000 }, () => buildEvent({ organization_id: randomUUID() })))).toHaveLength(100)
    expect(await rejectAt(Array.from({ length: 1_000 }, () => buildEvent({ name: '' })))).toHaveLength(100)
  })

  test('stores 4 minutes ahead as now, and rejects 6 minutes and a time without offset [usage 8]', async () => {
    const name = randomUUID()
    const earlier = '2026-01-31T23:59:59.123456Z'
    await usage.ingest([buildEvent({ name, timestamp: ahead(4) }), buildEvent({ name, timestamp: earlier }), buildEvent({ name })])
    const times = (await usage.list({ name })).map(({ timestamp }) => Date.parse(timestamp))
    expect(times[0]).toBeLessThanOrEqual(Date.now())
    expect(times[2]).toBe(Date.parse(earlier))
    expect(await rejectAt([buildEvent({ timestamp: ahead(6) })])).toEqual([['body.events.0.timestamp', 'value_error']])
    expect(await rejectAt([buildEvent({ timestamp: '2026-01-31T23:59:59' })])).toEqual([['body.events.0.timestamp', 'value_error']])
  })

  test('stores a time with an offset of 15:59, and rejects one of 16 hours, which PostgreSQL cannot read', async () => {
    const name = randomUUID()
    const [earliest, latest] = ['2026-01-31T12:00:00+15:59', '2026-01-31T12:00:00-15:59']
    await usage.ingest([buildEvent({ name, timestamp: latest }), buildEvent({ name, timestamp: earliest })])
    const listed = await usage.list({ name, start_timestamp: '2026-01-30T12:00:00+15:59', end_timestamp: '2026-02-02T12:00:00-15:59' })
    expect(listed.map(({ timestamp }) => Date.parse(timestamp))).toEqual([Date.parse(latest), Date.parse(earliest)])
    for (const offset of ['+16:00', '-16:00', '+23:59']) {
      const timestamp = `2026-01-31T12:00:00${offset}`
      expect(await rejectAt([buildEvent({ timestamp })])).toEqual([['body.events.0.timestamp', 'value_error']])
      await expect(usage.list({ start_timestamp: timestamp })).rejects.toMatchObject({ status: 422 })
    }
  })
})

describe('lists', () => {
  test('filters and sorts events', async () => {
    const caller = organizationCaller(randomUUID())
    const at = (day: number) => `2026-03-0${day}T00:00:00.000Z`
    await usage.ingest(
      [1, 2, 3].map((day) => buildEvent({ name: `day-${day}`, timestamp: at(day), external_customer_id: `reader-${day}` })),
      caller,
    )
    const names = async (request: Parameters<TestUsage['list']>[0]) => (await usage.list(request, caller)).map(({ name }) => name)
    expect(await names({})).toEqual(['day-3', 'day-2', 'day-1'])
    expect(await names({ sorting: 'timestamp' })).toEqual(['day-1', 'day-2', 'day-3'])
    expect(await names({ start_timestamp: at(1), end_timestamp: at(3) })).toEqual(['day-2'])
    expect(await names({ name: ['day-1', 'day-3'] })).toEqual(['day-3', 'day-1'])
    expect(await names({ external_customer_id: ['reader-1', 'reader-2'] })).toEqual(['day-2', 'day-1'])
    expect(await names({ customer_id: randomUUID() })).toEqual([])
    expect(await names({ source: 'system' })).toEqual([])
    expect(await names({ query: 'Y-2' })).toEqual(['day-2'])
    expect(await names({ source: ['user', 'system'], page: 2, limit: 2 })).toEqual(['day-1'])
  })

  test.each([{ meter_id: randomUUID() }, { parent_id: randomUUID() }, { filter: '{"conjunction":"and","clauses":[]}' }])(
    'rejects %o',
    async (request) => {
      await expect(usage.call(listUsageEvents, request, usage.caller)).rejects.toMatchObject({ status: 422 })
    },
  )

  test('lists names with how often and when they occurred', async () => {
    const caller = organizationCaller(randomUUID())
    const at = (day: number) => `2026-03-0${day}T00:00:00.000Z`
    await usage.ingest(
      [1, 2, 3].map((day) => buildEvent({ name: day === 2 ? 'Pages.Printed' : 'tokens.used', timestamp: at(day) })),
      caller,
    )
    const list = async (request: object) => (await usage.call(listUsageEventNames, request, caller)).items.map(({ name }) => name)
    const { items } = await usage.call(listUsageEventNames, {}, caller)
    expect(items[0]).toMatchObject({ name: 'tokens.used', source: 'user', occurrences: 2 })
    expect([items[0]?.first_seen, items[0]?.last_seen].map((time) => new Date(time as string).toISOString())).toEqual([at(1), at(3)])
    expect(await list({})).toEqual(['tokens.used', 'Pages.Printed'])
    expect(await list({ sorting: 'name' })).toEqual(['Pages.Printed', 'tokens.used'])
    expect(await list({ sorting: ['-occurrences', 'first_seen'] })).toEqual(['tokens.used', 'Pages.Printed'])
    expect(await list({ query: 'PRINT' })).toEqual(['Pages.Printed'])
    expect(await list({ external_customer_id: 'another' })).toEqual([])
    expect(await list({ customer_id: randomUUID() })).toEqual([])
    expect(await list({ source: 'system' })).toEqual([])
  })

  test('lists a name of several organizations once, with the events of those that the request selects', async () => {
    const [one, two] = [randomUUID(), randomUUID()]
    const user = userCaller({ userId: randomUUID(), organizationIds: [one, two] })
    const at = (day: number) => `2026-03-0${day}T00:00:00.000Z`
    const send = (organization_id: string, day: number) =>
      buildEvent({ organization_id, timestamp: at(day), external_customer_id: 'reader' })
    await usage.ingest([send(one, 2), send(two, 1), send(two, 3)], user)
    const read = async (request: object) => {
      const { items, pagination } = await usage.call(listUsageEventNames, request, user)
      expect(pagination.total_count).toBe(items.length)
      return items.map(({ occurrences, first_seen, last_seen }) => [
        occurrences,
        new Date(first_seen).toISOString(),
        new Date(last_seen).toISOString(),
      ])
    }
    for (const request of [{}, { external_customer_id: 'reader' }, { organization_id: [one, two] }])
      expect(await read(request)).toEqual([[3, at(1), at(3)]])
    for (const request of [{ organization_id: one }, { organization_id: one, external_customer_id: 'reader' }])
      expect(await read(request)).toEqual([[1, at(2), at(2)]])
    expect(await usage.call(listUsageEventNames, {}, organizationCaller(one))).toMatchObject({ items: [{ occurrences: 1 }] })
  })

  test('rejects a customer session', async () => {
    const session = { kind: 'customer', organization_id: usage.organizationId, customer_id: randomUUID(), token_id: 'test' } as const
    await expect(usage.call(ingestUsageEvents, { events: [buildEvent()] }, session)).rejects.toMatchObject({ status: 403 })
  })
})
