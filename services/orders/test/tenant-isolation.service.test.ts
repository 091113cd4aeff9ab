import { randomUUID } from 'node:crypto'
import type { Caller } from '@quittance/contracts/caller'
import { RequestValidationError, ResourceNotFound } from '@quittance/contracts/errors'
import { getMetricsLimits } from '@quittance/contracts/metrics'
import { pathVariables, type PublicOperation } from '@quittance/contracts/operation'
import { customerCaller, userCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { createPopulatedShop, ordersOperations, type PopulatedShop } from './populated-shop.ts'
import { startOrders, type OrdersUnderTest } from './start-orders.ts'
import { sharedFake } from './stripe-shop.ts'

/** Operations without a caller are protected by a secret in their path, or are public. */
const guarded = ordersOperations.filter(({ http }) => !http.callers.includes('anonymous'))

/** Operations that end something come last, and dependencies at the very end, so that each finds its object. */
const deletes = guarded.filter(({ http }) => http.method === 'DELETE').toReversed()
const deletesLast = [...guarded.filter((operation) => !deletes.includes(operation)), ...deletes]

test('no operation returns or changes an object of another organization or customer', async () => {
  await sharedFake()
  await using orders = await startOrders()
  const owner = await createPopulatedShop(orders)
  const other = await orders.shop()
  await waitUntilIdle(orders)
  const before = await readTables(orders)
  const outcomes: string[] = []
  for (const operation of guarded) {
    for (const stranger of createStrangers(owner, { operation, other })) {
      outcomes.push(`${operation.subject}: ${await attempt(orders, { operation, owner, stranger })}`)
    }
  }
  expect(outcomes.filter((outcome) => !outcome.endsWith('refused') && !outcome.endsWith('nothing'))).toEqual([])
  expect(await readTables(orders)).toEqual(before)
})

test('the same requests succeed for the owner', async () => {
  await sharedFake()
  await using orders = await startOrders()
  const owner = await createPopulatedShop(orders)
  const unseen: string[] = []
  for (const operation of deletesLast) {
    const { request, caller } = owner.requestFor(operation)
    const reply = await orders.call(operation, request, caller).catch((error: unknown) => {
      throw new Error(`${operation.subject} was rejected`, { cause: error })
    })
    if (operation.http.method === 'GET' && operation !== getMetricsLimits && !mentions(reply, owner)) unseen.push(operation.subject)
  }
  expect(unseen).toEqual([])
})

/** Returns callers with a valid credential of another customer or organization. */
function createStrangers(owner: PopulatedShop, about: { operation: PublicOperation; other: { organizationId: string; seller: Caller } }) {
  const { seller, organizationId } = about.other
  if (about.operation.http.callers.includes('customer')) {
    return [
      customerCaller({ organizationId: owner.organizationId, customerId: randomUUID() }),
      customerCaller({ organizationId, customerId: owner.customerId }),
    ]
  }
  return [
    seller,
    userCaller({ userId: randomUUID(), organizationIds: [organizationId] }),
    userCaller({ userId: randomUUID(), organizationIds: [] }),
  ]
}

interface Attempt {
  operation: PublicOperation
  owner: PopulatedShop
  stranger: Caller
}

/**
 * Returns the outcome of a request for foreign data: objects, also those named by their key, are not found, lists are empty, references in a body
 * are an invalid field.
 */
async function attempt(orders: OrdersUnderTest, { operation, owner, stranger }: Attempt): Promise<string> {
  const { request } = owner.requestFor(operation)
  const isAboutOne = pathVariables(operation.http).length > 0 || operation.http.path.endsWith('/me') || 'key' in request
  const isAboutAnything = isAboutOne || operation.http.method === 'GET' || mentions(request, owner)
  if (!isAboutAnything) return 'nothing'
  try {
    const reply = await orders.call(operation, request, stranger)
    return isAboutOne || operation.http.method !== 'GET' || mentions(reply, owner) ? JSON.stringify(reply) : 'nothing'
  } catch (error) {
    return error instanceof (isAboutOne ? ResourceNotFound : RequestValidationError) ? 'refused' : String(error)
  }
}

function mentions(value: unknown, { marks }: PopulatedShop): boolean {
  const text = JSON.stringify(value)
  return marks.some((mark) => text.includes(mark))
}

/** Waits until no background work is left that would write. */
function waitUntilIdle(orders: OrdersUnderTest): Promise<void> {
  return eventually(async () => {
    expect(await orders.rows('select from outbox_messages where published_at is null')).toHaveLength(0)
    expect(await orders.rows(`select from payments where status = 'pending'`)).toHaveLength(0)
  })
}

/**
 * Returns every table with its rows, so that a changed value counts as well as a new row; without the counters that a job compacts, and the
 * positions that consumers store after they have handled an event.
 */
async function readTables(orders: OrdersUnderTest) {
  const tables = await orders.rows<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public' and tablename not in ('list_totals', 'list_changes', 'consumer_positions') order by 1`,
  )
  const contents: Record<string, string[]> = {}
  for (const { name } of tables) {
    contents[name] = (await orders.rows<{ row: string }>(`select t::text as row from ${name} t order by 1`)).map(({ row }) => row)
  }
  return contents
}
