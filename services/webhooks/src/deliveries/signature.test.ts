import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { generateSecret } from '../endpoints/signing-secret.ts'
import { signatureHeaders } from './signature.ts'

const id = '11111111-1111-4111-8111-111111111111'
const body = '{"type":"order.paid","data":{}}'
const now = Math.floor(Date.now() / 1000)

test('the official client’s vector is among the signatures of its secret', () => {
  const headers = signatureHeaders({ secrets: ['whsec_test'], id, timestamp: 1750413600, body })
  expect(headers['webhook-id']).toBe(id)
  expect(headers['webhook-timestamp']).toBe('1750413600')
  expect(headers['webhook-signature'].split(' ')[1]).toBe('v1,7RNxfCb3k4Sz23RMbiGtZsJAuctC6UQ3ZYSimiuSBOg=')
})

test('a generated secret verifies with the standard’s library and in the way of the official client, the standard first', () => {
  const secret = generateSecret()
  const headers = signatureHeaders({ secrets: [secret], id, timestamp: now, body })
  const [first, second, ...rest] = headers['webhook-signature'].split(' ') as [string, string]
  const letters = Buffer.from(secret).toString('base64')
  expect(rest).toEqual([])
  expect(new Webhook(secret).verify(body, headers)).toEqual({ type: 'order.paid', data: {} })
  expect(new Webhook(letters).verify(body, headers)).toEqual({ type: 'order.paid', data: {} })
  expect(new Webhook(secret).verify(body, { ...headers, 'webhook-signature': first })).toBeTruthy()
  expect(new Webhook(letters).verify(body, { ...headers, 'webhook-signature': second })).toBeTruthy()
})

test.each(['hunter2', 'whsec_', 'whsec_not base64!', 'whsec_abc', 'żółć'])(
  'a secret of the customer’s own, %s, signs once with its letters',
  (secret) => {
    const headers = signatureHeaders({ secrets: [secret], id, timestamp: now, body })
    expect(headers['webhook-signature']).not.toContain(' ')
    expect(new Webhook(Buffer.from(secret).toString('base64')).verify(body, headers)).toBeTruthy()
  },
)

test('another body, id, time or secret does not verify', () => {
  const secret = generateSecret()
  const headers = signatureHeaders({ secrets: [secret], id, timestamp: now, body })
  const verify =
    (changed: object, text = body, key = secret) =>
    () =>
      new Webhook(key).verify(text, { ...headers, ...changed })
  expect(verify({}, `${body} `)).toThrow()
  expect(verify({ 'webhook-id': id.replace('1', '2') })).toThrow()
  expect(verify({ 'webhook-timestamp': String(now + 1) })).toThrow()
  expect(verify({}, body, generateSecret())).toThrow()
})
