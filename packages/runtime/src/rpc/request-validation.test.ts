import { createCustomer } from '@quittance/contracts/customers'
import { createDiscount } from '@quittance/contracts/discounts'
import { listOrders } from '@quittance/contracts/orders'
import { updateSubscription } from '@quittance/contracts/subscriptions'
import { expect, test } from 'vitest'
import { parseRequest } from './request-validation.ts'

test.each([
  ['one value', 'password', ['query', 'sorting']],
  ['a list', ['created_at', 'password'], ['query', 'sorting', 1]],
])('an unknown sorting criterion as %s is reported with the known ones', (_, sorting, loc) => {
  const issue = { loc, type: 'enum', msg: expect.stringContaining('created_at') }
  expect(() => parseRequest(listOrders, JSON.stringify({ sorting }))).toThrow(expect.objectContaining({ issues: [issue] }))
})

const id = '3fa85f64-5717-4562-b3fc-2c963f66afa6'

test.each([
  ['nothing', { id }],
  ['a key that is not known', { id, seats: 3 }],
])('a request that allows several changes and has %s gets their names', (_, request) => {
  const msg = 'One of these is required: product_id, discount_id, pending_update, cancel_at_period_end, revoke'
  const issues = [{ loc: ['body'], type: 'missing', msg }]
  expect(() => parseRequest(updateSubscription, JSON.stringify(request))).toThrow(expect.objectContaining({ issues }))
})

test('one invalid value of several possible changes is reported by its key', () => {
  const issues = [expect.objectContaining({ loc: ['body', 'product_id'] })]
  expect(() => parseRequest(updateSubscription, JSON.stringify({ id, product_id: 'x' }))).toThrow(expect.objectContaining({ issues }))
})

test('a time without an offset is rejected with the reason', () => {
  const request = { name: 'Launch', type: 'fixed', amount: 500, currency: 'usd', duration: 'once', starts_at: '2026-12-01T00:00:00' }
  const issues = [{ loc: ['body', 'starts_at'], type: 'value_error', msg: expect.stringContaining('offset from UTC') }]
  expect(() => parseRequest(createDiscount, JSON.stringify(request))).toThrow(expect.objectContaining({ issues }))
})

test.each([
  ['ü@example.com', 'ASCII'],
  ['ada@exämple.com', 'ASCII'],
  ['ada@', 'Invalid email address'],
])('the e-mail address %s is rejected with the reason', (email, reason) => {
  const issues = [{ loc: ['body', 'email'], type: 'value_error', msg: expect.stringContaining(reason) }]
  expect(() => parseRequest(createCustomer, JSON.stringify({ email }))).toThrow(expect.objectContaining({ issues }))
})
