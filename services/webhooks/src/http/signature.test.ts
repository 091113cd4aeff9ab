import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { generateSecret, signatureHeaders } from './signature.ts'

const id = '11111111-1111-4111-8111-111111111111'
const body = '{"type":"order.paid","data":{}}'
const now = Math.floor(Date.now() / 1000)

test('includes the signature of the official client’s test vector', () => {
  const headers = signatureHeaders({ secrets: ['whsec_test'], id, timestamp: 1750413600, body })
  expect(headers['webhook-id']).toBe(id)
  expect(headers['webhook-timestamp']).toBe('1750413600')
  expect(headers['webhook-signature'].split(' ')[1]).toBe('v1,7RNxfCb3k4Sz23RMbiGtZsJAuctC6UQ3ZYSimiuSBOg=')
})

test('signs with a generated secret for the standard’s library first, then the official client', () => {
  const secret = generateSecret()
  const headers = signatureHeaders({ secrets: [secret], id, timestamp: now, body })
  const [first, second, ...rest] = headers['webhook-signature'].split(' ') as [string, string]
  const encodedSecret = Buffer.from(secret).toString('base64')
  expect(rest).toEqual([])
  expect(new Webhook(secret).verify(body, headers)).toEqual({ type: 'order.paid', data: {} })
  expect(new Webhook(encodedSecret).verify(body, headers)).toEqual({ type: 'order.paid', data: {} })
  expect(new Webhook(secret).verify(body, { ...headers, 'webhook-signature': first })).toBeTruthy()
  expect(new Webhook(encodedSecret).verify(body, { ...headers, 'webhook-signature': second })).toBeTruthy()
})

test.each(['hunter2', 'whsec_', 'whsec_not base64!', 'whsec_abc', 'żółć'])(
  'signs once with the bytes of a secret that the customer chose: %s',
  (secret) => {
    const headers = signatureHeaders({ secrets: [secret], id, timestamp: now, body })
    expect(headers['webhook-signature']).not.toContain(' ')
    expect(new Webhook(Buffer.from(secret).toString('base64')).verify(body, headers)).toBeTruthy()
  },
)

test('does not verify with another body, id, time or secret', () => {
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

test('a generated secret holds 32 random bytes in the form of the standard', () => {
  const [first, second] = [generateSecret(), generateSecret()]
  expect(first).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(first).not.toBe(second)
})
