import { randomUUID } from 'node:crypto'
import type { Caller } from '@quittance/contracts/caller'
import { RequestValidationError, ResourceNotFound } from '@quittance/contracts/errors'
import { pathVariables, type PublicOperation } from '@quittance/contracts/operation'
import { customerCaller, userCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { furnishedShop, ordersOperations, type FurnishedShop } from './furnished-shop.ts'
import { startOrders, type OrdersUnderTest } from './start-orders.ts'

/** Those without a caller are guarded by a secret in their path, or are for everybody. */
const guarded = ordersOperations.filter(({ http }) => !http.callers.includes('anonymous'))

/** What ends something comes last and what others depend on at the very end, so that everything finds its object. */
const ending = guarded.filter(({ http }) => http.method === 'DELETE').toReversed()
const endingLast = [...guarded.filter((operation) => !ending.includes(operation)), ...ending]

test('what belongs to another organization or another customer is not there, for any operation, and stays as it is', async () => {
  await using orders = await startOrders()
  const owner = await furnishedShop(orders)
  const other = await orders.shop()
  await untilQuiet(orders)
  const before = await contentsOf(orders)
  const outcomes: string[] = []
  for (const operation of guarded) {
    for (const stranger of strangersTo(owner, { operation, other })) {
      outcomes.push(`${operation.subject}: ${await outcomeOf(orders, { operation, owner, stranger })}`)
    }
  }
  expect(outcomes.filter((outcome) => !outcome.endsWith('refused') && !outcome.endsWith('nothing'))).toEqual([])
  expect(await contentsOf(orders)).toEqual(before)
})

test('the same requests succeed for those whose it is', async () => {
  await using orders = await startOrders()
  const owner = await furnishedShop(orders)
  const unseen: string[] = []
  for (const operation of endingLast) {
    const { request, caller } = owner.requestFor(operation)
    const reply = await orders.call(operation, request, caller)
    if (operation.http.method === 'GET' && !mentions(reply, owner)) unseen.push(operation.subject)
  }
  expect(unseen).toEqual([])
})

/** Whoever asks with a credential of their own that is good for something else. */
function strangersTo(owner: FurnishedShop, about: { operation: PublicOperation; other: { organizationId: string; seller: Caller } }) {
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
  owner: FurnishedShop
  stranger: Caller
}

/** What comes of asking for somebody else's: objects are not found, lists are empty, references in a body are a wrong field. */
async function outcomeOf(orders: OrdersUnderTest, { operation, owner, stranger }: Attempt): Promise<string> {
  const { request } = owner.requestFor(operation)
  const isAboutOne = pathVariables(operation.http).length > 0 || operation.http.path.endsWith('/me')
  const isAboutAnything = isAboutOne || operation.http.method === 'GET' || mentions(request, owner)
  if (!isAboutAnything) return 'nothing'
  try {
    const reply = await orders.call(operation, request, stranger)
    return isAboutOne || operation.http.method !== 'GET' || mentions(reply, owner) ? JSON.stringify(reply) : 'nothing'
  } catch (error) {
    return error instanceof (isAboutOne ? ResourceNotFound : RequestValidationError) ? 'refused' : String(error)
  }
}

function mentions(value: unknown, { marks }: FurnishedShop): boolean {
  const text = JSON.stringify(value)
  return marks.some((mark) => text.includes(mark))
}

/** Nothing is under way that would write by itself. */
function untilQuiet(orders: OrdersUnderTest): Promise<void> {
  return eventually(async () => {
    expect(await orders.rows('select from outbox_messages where published_at is null')).toHaveLength(0)
    expect(await orders.rows(`select from payments where status = 'pending'`)).toHaveLength(0)
  })
}

/** Every table with what is in it, so that a changed value counts as well as a new row; without the counters that a job folds by itself. */
async function contentsOf(orders: OrdersUnderTest) {
  const tables = await orders.rows<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public' and tablename not in ('list_totals', 'list_changes') order by 1`,
  )
  const contents: Record<string, string[]> = {}
  for (const { name } of tables) {
    contents[name] = (await orders.rows<{ row: string }>(`select t::text as row from ${name} t order by 1`)).map(({ row }) => row)
  }
  return contents
}
