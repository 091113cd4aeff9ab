import { listCustomerOrders, type CustomerOrder } from '@quittance/contracts/customer-portal'
import { buildContractExample } from '@quittance/contracts/schema-example'
import { expect, test } from 'vitest'
import { isOwed } from './owed-orders.ts'

test('an order is owed unless it is paid or voided, a checkout pays it, or its subscription ended before its period', () => {
  const { items } = buildContractExample(listCustomerOrders.reply) as { items: CustomerOrder[] }
  const example = items[0] as CustomerOrder
  const subscription = { ...example.subscription, ended_at: null } as CustomerOrder['subscription']
  const period = { ...example.items[0], proration: false } as CustomerOrder['items'][0]
  const owed: CustomerOrder = {
    ...example,
    status: 'pending',
    voided_at: null,
    checkout_id: null,
    billing_reason: 'subscription_cycle',
    subscription,
    items: [period],
  }
  expect(isOwed(owed)).toBe(true)
  expect(isOwed({ ...owed, status: 'paid' })).toBe(false)
  expect(isOwed({ ...owed, voided_at: '2026-11-29T10:00:00Z' })).toBe(false)
  expect(isOwed({ ...owed, checkout_id: example.id })).toBe(false)
  const ended = { ...subscription, ended_at: '2026-11-29T10:00:00Z' } as CustomerOrder['subscription']
  expect(isOwed({ ...owed, subscription: ended })).toBe(false)
  const change = { ...owed, subscription: ended, billing_reason: 'subscription_update' } as const
  const proration = { ...period, proration: true }
  expect(isOwed({ ...change, items: [proration] })).toBe(true)
  // A change of the interval bills a period.
  expect(isOwed({ ...change, items: [period, proration] })).toBe(false)
})
