import { Conflict, ResourceNotFound } from '@quittance/contracts/errors'
import type { Event } from '@quittance/contracts/event'
import type { HttpBinding, Operation } from '@quittance/contracts/operation'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { compareContracts } from './compare-contracts.ts'
import { createSnapshot, type Contracts } from './contract-snapshot.ts'

const Order = z.object({
  id: z.uuidv4(),
  status: z.enum(['pending', 'paid']),
  note: z.string().nullable(),
  items: z.array(z.object({ label: z.string(), amount: z.int() })),
})
const http: HttpBinding = {
  method: 'PATCH',
  path: '/v1/orders/{id}',
  status: 200,
  scopes: ['orders:read', 'orders:write'],
  callers: ['organization', 'user'],
}
const change = z.object({
  id: z.uuidv4(),
  name: z.string().max(100).optional(),
  limit: z.int().min(1).max(100).default(10),
  method: z.enum(['card', 'transfer']).default('card'),
})
const update: Operation = { subject: 'orders.order.update', summary: '', http, request: change, reply: Order, errors: [ResourceNotFound] }
const verify: Operation = {
  subject: 'auth.token.verify',
  summary: '',
  request: z.object({ hash: z.string(), kind: z.enum(['a', 'b']) }),
  reply: z.object({ user_id: z.string() }),
  errors: [],
}
const paid: Event = { subject: 'event.order.paid', publisher: 'orders', webhookType: 'order.paid', summary: '', payload: Order }
const due: Event = {
  subject: 'event.order.due',
  publisher: 'orders',
  webhookType: null,
  summary: '',
  payload: z.object({ order_id: z.string() }),
}
const released: Contracts = {
  operations: [update, verify],
  events: [paid, due],
  subscriptions: { due: { durable: 'invoices-due', service: 'invoices', subject: 'event.order.due' } },
  headers: { caller: 'caller', deadline: 'deadline' },
}

function compareChange(changed: Partial<Contracts>) {
  return compareContracts({ version: '0.1.0', released: createSnapshot(released), now: createSnapshot({ ...released, ...changed }) })
}
const updated = (difference: Partial<Operation>) => ({ operations: [{ ...update, ...difference }, verify] })
const verified = (difference: Partial<Operation>) => ({ operations: [update, { ...verify, ...difference }] })
const withPaid = (difference: Partial<Event>) => ({ events: [{ ...paid, ...difference }, due] })
const route = (difference: Partial<HttpBinding>) => updated({ http: { ...http, ...difference } })
const head = 'orders.order.update (PATCH /v1/orders/{id})'
const line = z.object({ label: z.string(), amount: z.int() })

const breaks: [name: string, changed: Partial<Contracts>, sentence: string][] = [
  ['an operation is removed', { operations: [verify] }, `${head} is removed: callers of 0.1.0 still call it.`],
  [
    'a subject is renamed',
    updated({ subject: 'orders.order.change' }),
    `${head} has moved to the subject orders.order.change: a gateway of 0.1.0 calls the old one, which has no responders.`,
  ],
  [
    'the address changes',
    route({ path: '/v1/sales/{id}' }),
    `${head}: it is PATCH /v1/sales/{id} now, and clients of 0.1.0 use the old address.`,
  ],
  ['the method changes', route({ method: 'POST' }), `${head}: it is POST /v1/orders/{id} now, and clients of 0.1.0 use the old address.`],
  ['success returns another status', route({ status: 202 }), `${head}: success is 202 instead of 200, which clients of 0.1.0 expect.`],
  [
    'a kind of caller is rejected',
    route({ callers: ['user'] }),
    `${head}: callers of kind organization are rejected now, and were accepted by 0.1.0.`,
  ],
  [
    'a scope is no longer sufficient',
    route({ scopes: ['orders:write'] }),
    `${head}: the scope orders:read does not open it any more, and tokens of 0.1.0 have just that.`,
  ],
  [
    'a key of the request is new and required',
    updated({ request: change.extend({ reason: z.string() }) }),
    `${head}: “reason” of the request is required by today’s orders, and callers of 0.1.0 do not send it.`,
  ],
  [
    'a key of the request becomes required',
    updated({ request: change.extend({ name: z.string().max(100) }) }),
    `${head}: “name” of the request is required by today’s orders, and callers of 0.1.0 may omit it.`,
  ],
  [
    'a key of the request is removed',
    updated({ request: change.omit({ name: true }) }),
    `${head}: “name” of the request is sent by callers of 0.1.0, and today’s orders would ignore it.`,
  ],
  [
    'a request accepts fewer values',
    updated({ request: change.extend({ method: z.enum(['card']).default('card') }) }),
    `${head}: “method” of the request may be "transfer" from callers of 0.1.0, and today’s orders take only "card".`,
  ],
  [
    'a request accepts shorter texts',
    updated({ request: change.extend({ name: z.string().max(50).optional() }) }),
    `${head}: “name” of the request may be string up to 100 from callers of 0.1.0, and today’s orders take only string up to 50.`,
  ],
  [
    'a request accepts another type',
    updated({ request: change.extend({ name: z.int().optional() }) }),
    `${head}: “name” of the request may be string up to 100 from callers of 0.1.0, and today’s orders take only integer from -9007199254740991 up to 9007199254740991.`,
  ],
  [
    'a limit is lowered',
    updated({ request: change.extend({ limit: z.int().min(1).max(20).default(10) }) }),
    `${head}: “limit” of the request may be integer from 1 up to 100 from callers of 0.1.0, and today’s orders take only integer from 1 up to 20.`,
  ],
  [
    'a default changes',
    updated({ request: change.extend({ limit: z.int().min(1).max(100).default(20) }) }),
    `${head}: “limit” of the request means 20 when it is omitted, and callers of 0.1.0 mean 10 by that.`,
  ],
  [
    'a reply loses a key',
    updated({ reply: Order.omit({ note: true }) }),
    `${head}: “note” of the reply is required by callers of 0.1.0, and today’s orders do not send it.`,
  ],
  [
    'a reply loses a nested key',
    updated({ reply: Order.extend({ items: z.array(line.omit({ label: true })) }) }),
    `${head}: “items[].label” of the reply is required by callers of 0.1.0, and today’s orders do not send it.`,
  ],
  [
    'a reply may omit a key',
    updated({ reply: Order.extend({ note: z.string().nullable().optional() }) }),
    `${head}: “note” of the reply is required by callers of 0.1.0, and today’s orders may omit it.`,
  ],
  [
    'a reply may be null',
    updated({ reply: Order.extend({ id: z.uuidv4().nullable() }) }),
    `${head}: “id” of the reply may be null from today’s orders, and callers of 0.1.0 take only uuid.`,
  ],
  [
    'a reply has a new value',
    updated({ reply: Order.extend({ status: z.enum(['pending', 'paid', 'void']) }) }),
    `${head}: “status” of the reply may be "void" from today’s orders, and callers of 0.1.0 take only "pending" or "paid".`,
  ],
  [
    'an error changes its status',
    updated({
      errors: [
        class extends Conflict {
          static override readonly name = 'ResourceNotFound'
        },
      ],
    }),
    `${head}: ResourceNotFound was a 404 and is a 409 now; callers of 0.1.0 distinguish errors by status.`,
  ],
  [
    'between services: a required key becomes optional',
    verified({ request: z.object({ hash: z.string(), kind: z.enum(['a', 'b']).optional() }) }),
    'auth.token.verify: “kind” of the request is required by auth of 0.1.0, and today’s callers may omit it.',
  ],
  [
    'between services: a request may contain more values',
    verified({ request: z.object({ hash: z.string(), kind: z.enum(['a', 'b', 'c']) }) }),
    'auth.token.verify: “kind” of the request may be "c" from today’s callers, and auth of 0.1.0 take only "a" or "b".',
  ],
  [
    'between services: a reply promises more',
    verified({ reply: z.object({ user_id: z.string(), name: z.string() }) }),
    'auth.token.verify: “name” of the reply is required by today’s callers, and auth of 0.1.0 do not send it.',
  ],
  ['an event is removed', { events: [due] }, 'event.order.paid (webhook order.paid) is removed: consumers of 0.1.0 wait for it.'],
  [
    'an event has another publisher',
    withPaid({ publisher: 'invoices' }),
    'event.order.paid (webhook order.paid) is published by invoices instead of orders now: NATS would reject orders of 0.1.0.',
  ],
  [
    'an event is no longer a webhook',
    withPaid({ webhookType: null }),
    'event.order.paid (webhook order.paid) is no webhook now: endpoints subscribed to order.paid no longer receive it.',
  ],
  [
    'an event loses a key',
    withPaid({ payload: Order.omit({ items: true }) }),
    'event.order.paid (webhook order.paid): “items” of the payload is required by consumers and webhook endpoints of 0.1.0, and today’s orders do not send it.',
  ],
  [
    'an event between services promises more',
    { events: [paid, { ...due, payload: z.object({ order_id: z.string(), locale: z.string().nullable() }) }] },
    'event.order.due: “locale” of the payload is required by today’s consumers, and orders of 0.1.0, and the stream for seven days, do not send it.',
  ],
  [
    'a durable is renamed',
    { subscriptions: { due: { durable: 'invoices-orders-due', service: 'invoices', subject: 'event.order.due' } } },
    'The durable invoices-due is called invoices-orders-due now: under the new name invoices consumes seven days of events again.',
  ],
  [
    'a durable consumes another subject',
    { subscriptions: { due: { durable: 'invoices-due', service: 'invoices', subject: 'event.order.*' } } },
    'The durable invoices-due consumes event.order.* instead of event.order.due now: the server keeps the filter it was created with.',
  ],
  [
    'a header is renamed',
    { headers: { caller: 'caller', deadline: 'due' } },
    'The header “deadline” (deadline) is removed or renamed: services of 0.1.0 send and read it.',
  ],
]

test.each(breaks)('rejects a change with its reason: %s [payments 9]', (_, changed, sentence) => {
  expect(compareChange(changed).breaks).toContain(sentence)
})

const harmless: [name: string, changed: Partial<Contracts>][] = [
  ['nothing', {}],
  [
    'a new operation, a new event',
    {
      operations: [update, verify, { ...update, subject: 'orders.order.void', http: { ...http, path: '/v1/orders/{id}/void' } }],
      events: [paid, due, { ...paid, subject: 'event.order.void', webhookType: 'order.void' }],
    },
  ],
  [
    'a new optional key of a request',
    updated({ request: change.extend({ reason: z.string().optional(), tone: z.string().default('calm') }) }),
  ],
  [
    'a request that accepts more',
    updated({
      request: change.extend({
        name: z.string().max(200).nullish(),
        limit: z.int().min(0).max(500).default(10),
        method: z.enum(['card', 'transfer', 'cash']).default('card'),
      }),
    }),
  ],
  ['a new key of a reply', updated({ reply: Order.extend({ locale: z.string() }) })],
  ['a reply with fewer values', updated({ reply: Order.extend({ note: z.string(), status: z.enum(['paid']) }) })],
  ['an error that is no longer returned', updated({ errors: [] })],
  [
    'one more scope, one more kind of caller',
    route({ scopes: [...http.scopes, 'checkouts:write'], callers: [...http.callers, 'customer'] }),
  ],
  ['a new key of a webhook', withPaid({ payload: Order.extend({ locale: z.string() }) })],
  [
    'another description',
    updated({ summary: 'Change', reply: Order.extend({ note: z.string().nullable().describe('Reason of the buyer.') }) }),
  ],
  [
    'between services: an optional key',
    verified({
      request: z.object({ hash: z.string(), kind: z.enum(['a', 'b']), hint: z.string().optional() }),
      reply: z.object({ user_id: z.string(), name: z.string().optional() }),
    }),
  ],
]

test.each(harmless)('accepts a harmless change: %s', (_, changed) => {
  expect(compareChange(changed).breaks).toEqual([])
})

test('reports a new error and a removed durable as notices', () => {
  const result = compareChange({ ...updated({ errors: [ResourceNotFound, Conflict] }), subscriptions: {} })
  expect(result.breaks).toEqual([])
  expect(result.notices).toEqual([
    `${head} can return Conflict (409) now; callers of 0.1.0 have no case for this error.`,
    'The durable invoices-due is removed; delete it on the server when no invoices of 0.1.0 runs any more.',
  ])
})

test('compares a schema that references itself completely', () => {
  interface Tree {
    name: string
    branches: Tree[]
  }
  const tree: z.ZodType<Tree> = z.object({ name: z.string(), branches: z.array(z.lazy(() => tree)) }).meta({ id: 'Tree' })
  const nullableTree: z.ZodType<Tree> = z
    .object({ name: z.string().nullable() as unknown as z.ZodString, branches: z.array(z.lazy(() => nullableTree)) })
    .meta({ id: 'Tree' })
  const [before, now] = [tree, nullableTree].map((reply) => createSnapshot({ ...released, ...updated({ reply }) })) as [never, never]
  expect(compareContracts({ version: '0.1.0', released: before, now }).breaks).toEqual([
    `${head}: “name” of the reply may be null from today’s orders, and callers of 0.1.0 take only string.`,
  ])
})

test('new keys of an object that all alternatives of a reply contain break none of them', () => {
  const owner = z.object({ id: z.string() })
  const later = owner.extend({ a: z.int(), b: z.int(), c: z.int(), d: z.int() }).meta({ id: 'OwnerOfTest' })
  const reply = (shared: z.ZodObject) =>
    z.union([z.object({ type: z.literal('text'), shared }), z.object({ type: z.literal('keyed'), shared, prefix: z.string() })])
  const before = { ...released, operations: [{ ...update, reply: reply(owner.meta({ id: 'OwnerOfTest' })) }, verify] }
  const snapshot = createSnapshot(before)
  const compared = compareContracts({
    version: '0.1.0',
    released: snapshot,
    now: createSnapshot({ ...released, operations: [{ ...update, reply: reply(later) }, verify] }),
  })
  expect(compared).toEqual(compareChange({}))
})
