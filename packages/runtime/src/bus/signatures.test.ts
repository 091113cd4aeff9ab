import { randomBytes } from 'node:crypto'
import { headers } from '@quittance/contracts/headers'
import { busUsers, type BusUser } from '@quittance/contracts/nats-users'
import { headers as natsHeaders } from 'nats'
import { expect, test } from 'vitest'
import { verifyEvent, signEvents } from './event-signature.ts'
import { createBusIdentity, formatPublicBusKeys, parseBusSeeds, parsePublicBusKeys, publicBusKey } from './identity.ts'
import { signRequest, verifyRequest } from './request-signature.ts'

const seeds = Object.fromEntries(busUsers.map((user) => [user, randomBytes(32)])) as Record<BusUser, Buffer>
const listed = parsePublicBusKeys(formatPublicBusKeys(seeds))
const createIdentity = (user: BusUser, publicKeys = listed) => createBusIdentity({ user, seeds: [seeds[user]], publicKeys })
const request = () => ({ subject: 'orders.order.get', headers: natsHeaders(), body: Buffer.from('{}') })

test('the owner verifies requests of the gateway and of the operator', () => {
  for (const sender of ['gateway', 'operator'] as const) {
    const sent = request()
    signRequest(createIdentity(sender), sent)
    expect(verifyRequest(createIdentity('orders'), sent)).toBe(sender)
  }
})

test('another owner cannot verify a request, and a service cannot send one', () => {
  const sent = request()
  signRequest(createIdentity('gateway'), sent)
  expect(verifyRequest(createIdentity('invoices'), sent)).toEqual({ rejected: 'forged' })
  const own = request()
  signRequest(createIdentity('webhooks'), own)
  expect(verifyRequest(createIdentity('orders'), own)).toEqual({ rejected: 'unknown-sender' })
  own.headers.set(headers.sender, 'gateway')
  expect(verifyRequest(createIdentity('orders'), own)).toEqual({ rejected: 'forged' })
})

test('rejects a request without a signature', () => {
  expect(verifyRequest(createIdentity('orders'), request())).toEqual({ rejected: 'unsigned' })
})

test('verifies requests of the old and the new key while a key rotates', () => {
  const next = randomBytes(32)
  const both = parsePublicBusKeys(`${formatPublicBusKeys(seeds)},gateway=${publicBusKey(next)}`)
  for (const seed of [seeds.gateway, next]) {
    const sent = request()
    signRequest(createBusIdentity({ user: 'gateway', seeds: [seed], publicKeys: both }), sent)
    expect(verifyRequest(createIdentity('orders', both), sent)).toBe('gateway')
    expect(verifyRequest(createBusIdentity({ user: 'orders', seeds: [next, seeds.orders], publicKeys: both }), sent)).toBe('gateway')
  }
})

test('verifies requests at every step of the documented rotation of an owner’s key', () => {
  const next = randomBytes(32)
  const listed = (...orders: Uint8Array[]) => parsePublicBusKeys(formatPublicBusKeys({ ...seeds, orders }))
  const old = seeds.orders
  const steps: [publicKeys: Uint8Array[], ownKeys: Uint8Array[]][] = [
    [[old], [old]],
    [[old, next], [old]],
    [
      [old, next],
      [next, old],
    ],
    [[next], [next, old]],
    [[next], [next]],
  ]
  // Of two consecutive steps, the sender and the owner may be at either.
  for (const [index, [publicKeys]] of steps.entries()) {
    const sent = request()
    signRequest(createBusIdentity({ user: 'gateway', seeds: [seeds.gateway], publicKeys: listed(...publicKeys) }), sent)
    for (const [known, own] of steps.slice(Math.max(0, index - 1), index + 2)) {
      const owner = createBusIdentity({ user: 'orders', seeds: own, publicKeys: listed(...known) })
      expect(verifyRequest(owner, sent)).toBe('gateway')
    }
  }
})

test('verifies an event only exactly as its publisher published it', () => {
  const event = (change: Record<string, string> = {}, body = '{"id":1}') => {
    const fields: Record<string, string> = { 'Nats-Msg-Id': 'id', aggregate: 'a', organization: 'o', 'occurred-at': 't', ...change }
    return { subject: 'event.order.paid', body: Buffer.from(body), header: (name: string) => fields[name] ?? '' }
  }
  const batch = [event({}, '{}'), event(), event({}, '[]')]
  const [, signature = ''] = signEvents(createIdentity('orders'), batch)
  const check = (received: ReturnType<typeof event>, publisher: BusUser = 'orders') =>
    verifyEvent(createIdentity('webhooks'), {
      ...received,
      publisher,
      header: (name) => (name === 'signature' ? signature : received.header(name)),
    })
  expect(check(event())).toBeNull()
  expect(check(event({}, '{"id":2}'))).toBe('forged')
  for (const name of ['Nats-Msg-Id', 'aggregate', 'organization', 'occurred-at']) expect(check(event({ [name]: 'x' }))).toBe('forged')
  expect(check({ ...event(), subject: 'event.order.updated' })).toBe('forged')
  expect(check(event(), 'auth')).toBe('forged')
  expect(verifyEvent(createIdentity('webhooks'), { ...event(), publisher: 'orders' })).toBe('unsigned')
})

test('of a verified batch, a changed event and the signature of another publisher are rejected', () => {
  const receiver = createIdentity('webhooks')
  const batch = Array.from({ length: 20 }, (_, index) => ({
    subject: 'event.order.paid',
    body: Buffer.from(`${index}`),
    header: () => 'x',
  }))
  const signatures = signEvents(createIdentity('orders'), batch)
  const check = (index: number, { body = `${index}`, publisher = 'orders' as BusUser } = {}) =>
    verifyEvent(receiver, {
      subject: 'event.order.paid',
      body: Buffer.from(body),
      publisher,
      header: (name) => (name === 'signature' ? (signatures[index] as string) : 'x'),
    })
  for (const [index] of batch.entries()) {
    expect(check(index, { body: 'changed' })).toBe('forged')
    expect(check(index, { publisher: 'auth' })).toBe('forged')
    expect(check(index)).toBeNull()
    expect(check(index, { body: 'changed' })).toBe('forged')
    expect(check(index, { publisher: 'auth' })).toBe('forged')
  }
})

test.each(['', 'a.b.c.d', `${'x'.repeat(86)}.0.1.`, `${'x'.repeat(86)}.-1.1.`, `${'x'.repeat(86)}.0.1e9.`, '.0.1.'])(
  'rejects the signature %j',
  (signature) => {
    const header = (name: string) => (name === 'signature' ? signature : 'x')
    const event = { subject: 'event.order.paid', body: Buffer.from('{}'), header, publisher: 'orders' as const }
    expect(verifyEvent(createIdentity('webhooks'), event)).not.toBeNull()
  },
)

test('rejects keys of the wrong length and unknown users when settings are read', () => {
  expect(() => parseBusSeeds('c2hvcnQ=')).toThrow('32 bytes')
  expect(() => parsePublicBusKeys('orders=AAAA')).toThrow('orders')
  expect(() => parsePublicBusKeys(`nobody=${publicBusKey(seeds.auth)}`)).toThrow('nobody')
})
