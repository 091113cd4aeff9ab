import { Conflict, ResourceNotFound } from '@quittance/contracts/errors'
import type { Event } from '@quittance/contracts/event'
import type { HttpBinding, Operation } from '@quittance/contracts/operation'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { compareContracts } from './compare-contracts.ts'
import { snapshotOf, type Contracts } from './contract-snapshot.ts'

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

function verdictOf(changed: Partial<Contracts>) {
  return compareContracts({ version: '0.1.0', released: snapshotOf(released), now: snapshotOf({ ...released, ...changed }) })
}
const updated = (difference: Partial<Operation>) => ({ operations: [{ ...update, ...difference }, verify] })
const verified = (difference: Partial<Operation>) => ({ operations: [update, { ...verify, ...difference }] })
const told = (difference: Partial<Event>) => ({ events: [{ ...paid, ...difference }, due] })
const route = (difference: Partial<HttpBinding>) => updated({ http: { ...http, ...difference } })
const head = 'orders.order.update (PATCH /v1/orders/{id})'
const line = z.object({ label: z.string(), amount: z.int() })

const breaks: [name: string, changed: Partial<Contracts>, sentence: string][] = [
  ['an operation is gone', { operations: [verify] }, `${head} is gone: callers of 0.1.0 still ask for it.`],
  [
    'a subject is renamed',
    updated({ subject: 'orders.order.change' }),
    `${head} answers under the subject orders.order.change now: a gateway of 0.1.0 asks under the old one, where nobody listens.`,
  ],
  [
    'the address changes',
    route({ path: '/v1/sales/{id}' }),
    `${head}: it is PATCH /v1/sales/{id} now, and clients of 0.1.0 ask under the old address.`,
  ],
  [
    'the method changes',
    route({ method: 'POST' }),
    `${head}: it is POST /v1/orders/{id} now, and clients of 0.1.0 ask under the old address.`,
  ],
  ['success has another status', route({ status: 202 }), `${head}: success is 202 instead of 200, which clients of 0.1.0 expect.`],
  [
    'a kind of caller is turned away',
    route({ callers: ['user'] }),
    `${head}: callers of kind organization are turned away now, and were let in by 0.1.0.`,
  ],
  [
    'a scope is not enough any more',
    route({ scopes: ['orders:write'] }),
    `${head}: the scope orders:read does not open it any more, and tokens of 0.1.0 have just that.`,
  ],
  [
    'a key of the request is new and required',
    updated({ request: change.extend({ reason: z.string() }) }),
    `${head}: “reason” of the request is needed by today’s orders, and callers of 0.1.0 do not send it.`,
  ],
  [
    'a key of the request becomes required',
    updated({ request: change.extend({ name: z.string().max(100) }) }),
    `${head}: “name” of the request is needed by today’s orders, and callers of 0.1.0 may leave it out.`,
  ],
  [
    'a key of the request is gone',
    updated({ request: change.omit({ name: true }) }),
    `${head}: “name” of the request is sent by callers of 0.1.0, and today’s orders would pass over it in silence.`,
  ],
  [
    'a request takes fewer values',
    updated({ request: change.extend({ method: z.enum(['card']).default('card') }) }),
    `${head}: “method” of the request may be "transfer" from callers of 0.1.0, and today’s orders take only "card".`,
  ],
  [
    'a request takes shorter texts',
    updated({ request: change.extend({ name: z.string().max(50).optional() }) }),
    `${head}: “name” of the request may be string up to 100 from callers of 0.1.0, and today’s orders take only string up to 50.`,
  ],
  [
    'a request takes another type',
    updated({ request: change.extend({ name: z.int().optional() }) }),
    `${head}: “name” of the request may be string up to 100 from callers of 0.1.0, and today’s orders take only integer from -9007199254740991 up to 9007199254740991.`,
  ],
  [
    'a limit falls',
    updated({ request: change.extend({ limit: z.int().min(1).max(20).default(10) }) }),
    `${head}: “limit” of the request may be integer from 1 up to 100 from callers of 0.1.0, and today’s orders take only integer from 1 up to 20.`,
  ],
  [
    'leaving out means something else',
    updated({ request: change.extend({ limit: z.int().min(1).max(100).default(20) }) }),
    `${head}: “limit” of the request means 20 when it is left out, and callers of 0.1.0 mean 10 by that.`,
  ],
  [
    'a reply loses a key',
    updated({ reply: Order.omit({ note: true }) }),
    `${head}: “note” of the reply is needed by callers of 0.1.0, and today’s orders do not send it.`,
  ],
  [
    'a reply loses a key deep inside',
    updated({ reply: Order.extend({ items: z.array(line.omit({ label: true })) }) }),
    `${head}: “items[].label” of the reply is needed by callers of 0.1.0, and today’s orders do not send it.`,
  ],
  [
    'a reply may leave a key out',
    updated({ reply: Order.extend({ note: z.string().nullable().optional() }) }),
    `${head}: “note” of the reply is needed by callers of 0.1.0, and today’s orders may leave it out.`,
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
    `${head}: ResourceNotFound was a 404 and is a 409 now; callers of 0.1.0 tell errors apart by their status.`,
  ],
  [
    'services among themselves: a demand is dropped',
    verified({ request: z.object({ hash: z.string(), kind: z.enum(['a', 'b']).optional() }) }),
    'auth.token.verify: “kind” of the request is needed by auth of 0.1.0, and today’s callers may leave it out.',
  ],
  [
    'services among themselves: a request may say more',
    verified({ request: z.object({ hash: z.string(), kind: z.enum(['a', 'b', 'c']) }) }),
    'auth.token.verify: “kind” of the request may be "c" from today’s callers, and auth of 0.1.0 take only "a" or "b".',
  ],
  [
    'services among themselves: an answer promises more',
    verified({ reply: z.object({ user_id: z.string(), name: z.string() }) }),
    'auth.token.verify: “name” of the reply is needed by today’s callers, and auth of 0.1.0 do not send it.',
  ],
  ['an event is gone', { events: [due] }, 'event.order.paid (webhook order.paid) is gone: listeners of 0.1.0 wait for it.'],
  [
    'an event has another teller',
    told({ publisher: 'invoices' }),
    'event.order.paid (webhook order.paid) is told by invoices instead of orders now: NATS would refuse orders of 0.1.0.',
  ],
  [
    'an event is no webhook any more',
    told({ webhookType: null }),
    'event.order.paid (webhook order.paid) is no webhook now: endpoints that asked for order.paid hear nothing more.',
  ],
  [
    'an event loses a key',
    told({ payload: Order.omit({ items: true }) }),
    'event.order.paid (webhook order.paid): “items” of the payload is needed by listeners and webhook endpoints of 0.1.0, and today’s orders do not send it.',
  ],
  [
    'an event between services promises more',
    { events: [paid, { ...due, payload: z.object({ order_id: z.string(), locale: z.string().nullable() }) }] },
    'event.order.due: “locale” of the payload is needed by today’s listeners, and orders of 0.1.0, and the stream for seven days, do not send it.',
  ],
  [
    'a durable is renamed',
    { subscriptions: { due: { durable: 'invoices-orders-due', service: 'invoices', subject: 'event.order.due' } } },
    'The durable invoices-due is called invoices-orders-due now: under a new name invoices hears and does seven days again.',
  ],
  [
    'a durable hears something else',
    { subscriptions: { due: { durable: 'invoices-due', service: 'invoices', subject: 'event.order.*' } } },
    'The durable invoices-due hears event.order.* instead of event.order.due now: the server keeps the filter it was made with.',
  ],
  [
    'a header is renamed',
    { headers: { caller: 'caller', deadline: 'due' } },
    'The header “deadline” (deadline) is gone or renamed: services of 0.1.0 send it and look for it.',
  ],
]

test.each(breaks)('refused with its reason: %s', (_, changed, sentence) => {
  expect(verdictOf(changed).breaks).toContain(sentence)
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
    'a new key of a request that may be left out',
    updated({ request: change.extend({ reason: z.string().optional(), tone: z.string().default('calm') }) }),
  ],
  [
    'a request that takes more',
    updated({
      request: change.extend({
        name: z.string().max(200).nullish(),
        limit: z.int().min(0).max(500).default(10),
        method: z.enum(['card', 'transfer', 'cash']).default('card'),
      }),
    }),
  ],
  ['a new key of a reply', updated({ reply: Order.extend({ locale: z.string() }) })],
  ['a reply that says less', updated({ reply: Order.extend({ note: z.string(), status: z.enum(['paid']) }) })],
  ['an error that is not answered any more', updated({ errors: [] })],
  [
    'one more scope, one more kind of caller',
    route({ scopes: [...http.scopes, 'checkouts:write'], callers: [...http.callers, 'customer'] }),
  ],
  ['a new key of a webhook', told({ payload: Order.extend({ locale: z.string() }) })],
  ['other words', updated({ summary: 'Change', reply: Order.extend({ note: z.string().nullable().describe('What the buyer said.') }) })],
  [
    'between services: what may be left out',
    verified({
      request: z.object({ hash: z.string(), kind: z.enum(['a', 'b']), hint: z.string().optional() }),
      reply: z.object({ user_id: z.string(), name: z.string().optional() }),
    }),
  ],
]

test.each(harmless)('harmless: %s', (_, changed) => {
  expect(verdictOf(changed).breaks).toEqual([])
})

test('a new error is told, and a durable that is gone', () => {
  const verdict = verdictOf({ ...updated({ errors: [ResourceNotFound, Conflict] }), subscriptions: {} })
  expect(verdict.breaks).toEqual([])
  expect(verdict.told).toEqual([
    `${head} can answer Conflict (409) now; callers of 0.1.0 see an error they have no case for.`,
    'The durable invoices-due is gone; delete it on the server when no invoices of 0.1.0 runs any more.',
  ])
})

test('a schema that names itself is compared to its end', () => {
  interface Tree {
    name: string
    branches: Tree[]
  }
  const tree: z.ZodType<Tree> = z.object({ name: z.string(), branches: z.array(z.lazy(() => tree)) }).meta({ id: 'Tree' })
  const taller: z.ZodType<Tree> = z
    .object({ name: z.string().nullable() as unknown as z.ZodString, branches: z.array(z.lazy(() => taller)) })
    .meta({ id: 'Tree' })
  const [before, now] = [tree, taller].map((reply) => snapshotOf({ ...released, ...updated({ reply }) })) as [never, never]
  expect(compareContracts({ version: '0.1.0', released: before, now }).breaks).toEqual([
    `${head}: “name” of the reply may be null from today’s orders, and callers of 0.1.0 take only string.`,
  ])
})
