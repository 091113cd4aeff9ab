import { signPayload } from '@quittance/testing/stripe/fake-webhooks'
import { Stripe } from 'stripe'
import { expect, test } from 'vitest'
import { eventTypes, parseStripeWebhook } from './stripe-events.ts'

const now = new Date('2026-11-23T12:00:00Z')
const timestamp = now.getTime() / 1000
const stripe = new Stripe('rk_test_unused')
const account = { webhookSecrets: ['whsec_new', 'whsec_old'], mode: 'test' } as const

function buildPayload(values: object = {}, object: object = { id: 'pi_1', metadata: { quittance_payment: 'a' } }): string {
  const event = { id: 'evt_1', object: 'event', type: 'payment_intent.succeeded', created: timestamp, livemode: false, data: { object } }
  return JSON.stringify({ ...event, ...values }, null, 2)
}

function parse(payload: string, { secrets = ['whsec_new'], at = timestamp, body = Buffer.from(payload) } = {}) {
  return parseStripeWebhook({ body, signature: signPayload(payload, { secrets, timestamp: at }), now }, { stripe, account })
}

test('returns which object to read', () => {
  expect(parse(buildPayload())).toEqual({
    event: 'evt_1',
    type: 'payment_intent.succeeded',
    object: { kind: 'charge', theirs: 'pi_1' },
    occurredAt: now,
  })
})

test('accepts the signature of either secret during a rotation, and of both', () => {
  for (const secrets of [['whsec_old'], ['whsec_unknown', 'whsec_old'], ['whsec_new', 'whsec_old']]) {
    expect(parse(buildPayload(), { secrets })).toMatchObject({ event: 'evt_1' })
  }
})

test('rejects a missing, wrong, foreign or old signature [payments 36]', () => {
  const payload = buildPayload()
  expect(parse(payload, { secrets: ['whsec_unknown'] })).toBeNull()
  expect(parse(payload, { at: timestamp - 301 })).toBeNull()
  expect(parse(payload, { at: timestamp - 300 })).not.toBeNull()
  for (const signature of [undefined, '', 't=1', 'v1=00', `t=${timestamp},v1=`, `t=NaN,v1=00`, `t=${timestamp},v0=00`]) {
    expect(parseStripeWebhook({ body: Buffer.from(payload), signature, now }, { stripe, account })).toBeNull()
  }
  const signature = signPayload(payload, { secrets: ['whsec_new'], timestamp })
  expect(
    parseStripeWebhook({ body: Buffer.from(payload), signature, now }, { stripe, account: { ...account, webhookSecrets: [] } }),
  ).toBeNull()
})

test('rejects bytes that differ in one space [payments 36, 37]', () => {
  const payload = buildPayload({ note: 'Zoë \\u00e9 \\/' })
  expect(parse(payload, { body: Buffer.from(payload.replace('{', '{ ')) })).toBeNull()
  expect(parse(payload)).not.toBeNull()
})

test.each([
  ['another type', buildPayload({ type: 'customer.created' })],
  ['a type of the prototype', buildPayload({ type: 'constructor' })],
  ['the other mode', buildPayload({ livemode: true })],
  ['an intent of another system', buildPayload({}, { id: 'pi_1', metadata: {} })],
  ['an object without id', buildPayload({}, { metadata: { quittance_payment: 'a' } })],
  ['no JSON', 'hello'],
  ['no event', 'null'],
  ['a thin event', JSON.stringify({ object: 'v2.core.event', id: 'evt_1' })],
])('reads nothing for %s', (_, payload) => {
  expect(parse(payload)).toBe('not_ours')
})

test('reads refunds and disputes without our metadata: those of the dashboard', () => {
  expect(parse(buildPayload({ type: 'refund.created' }, { id: 're_1' }))).toMatchObject({ object: { kind: 'refund', theirs: 're_1' } })
  expect(parse(buildPayload({ type: 'charge.dispute.created' }, { id: 'dp_1' }))).toMatchObject({
    object: { kind: 'dispute', theirs: 'dp_1' },
  })
})

test('selects no more types than one list takes', () => {
  expect(eventTypes.length).toBe(20)
})
