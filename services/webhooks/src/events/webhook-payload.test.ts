import { publicEvents, type PublicEvent } from '@quittance/contracts/registry'
import { expect, test } from 'vitest'
import { webhookPayload } from './webhook-payload.ts'

const event = publicEvents.find(({ webhookType }) => webhookType === 'order.paid') as PublicEvent

const render = (payloadText: string) =>
  webhookPayload({ event, occurredAt: new Date('2026-11-23T10:00:00Z'), payload: JSON.parse(payloadText) })

test.each([
  ['spaces, as PostgreSQL writes jsonb', '{"metadata": {"a": 1, "b": [1, 2]}}'],
  ['numbers in another notation', '{"a": 1.0, "b": 1e2, "d": 9007199254740993}'],
  ['keys that look like indexes', '{"b": 1, "10": 2, "2": 3}'],
  ['escapes', String.raw`{"a": "\u00e9\/\u2028", "b": "\ud800"}`],
  ['a key that objects inherit', '{"__proto__": {"a": 1}}'],
])('is what JSON.stringify makes of it: %s', (_, payloadText) => {
  const body = render(payloadText)
  expect(body).toBe(JSON.stringify(JSON.parse(body)))
  expect(JSON.parse(body).data).toEqual(JSON.parse(payloadText))
})
