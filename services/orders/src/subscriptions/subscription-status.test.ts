import { SubscriptionStatus } from '@quittance/contracts/subscription-status'
import { expect, test } from 'vitest'
import { canTransition, eventsForChange, isTerminal, type SubscriptionSnapshot } from './subscription-status.ts'

const statuses = SubscriptionStatus.options

test('terminal states are final, and every other state can be canceled', () => {
  for (const from of statuses) {
    expect(isTerminal(from)).toBe(from === 'canceled' || from === 'incomplete_expired')
    expect(canTransition(from, 'canceled')).toBe(!isTerminal(from))
    for (const to of statuses) if (isTerminal(from)) expect(canTransition(from, to)).toBe(false)
  }
})

test('no state changes to itself or back to incomplete', () => {
  for (const from of statuses) {
    expect(canTransition(from, from)).toBe(false)
    expect(canTransition(from, 'incomplete')).toBe(false)
  }
})

const active: SubscriptionSnapshot = { status: 'active', canceledAt: null, endsAt: null }
const at = new Date('2026-05-01T00:00:00Z')
const later = new Date('2026-06-01T00:00:00Z')
const ending: SubscriptionSnapshot = { status: 'active', canceledAt: at, endsAt: later }

function names(before: SubscriptionSnapshot | null, after: SubscriptionSnapshot): string[] {
  return eventsForChange(before, after).map(({ webhookType }) => webhookType?.replace('subscription.', '') ?? '')
}

test('publishes created for a new subscription, and active if nothing had to be paid', () => {
  expect(names(null, active)).toEqual(['created', 'active'])
  expect(names(null, { ...active, status: 'incomplete' })).toEqual(['created'])
})

test('publishes updated first for every change, then the specific event', () => {
  expect(names(active, active)).toEqual(['updated'])
  expect(names({ ...active, status: 'incomplete' }, active)).toEqual(['updated', 'active'])
  expect(names(active, ending)).toEqual(['updated', 'canceled'])
  expect(names(ending, active)).toEqual(['updated', 'uncanceled'])
  expect(names(active, { status: 'canceled', canceledAt: at, endsAt: at })).toEqual(['updated', 'canceled', 'revoked'])
  expect(names(ending, { ...ending, status: 'canceled' })).toEqual(['updated', 'revoked'])
  expect(names(active, { ...active, status: 'past_due' })).toEqual(['updated', 'revoked'])
  expect(names({ ...active, status: 'past_due' }, active)).toEqual(['updated', 'active'])
})

test('does not publish revoked again after access was lost', () => {
  expect(names({ ...active, status: 'past_due' }, { status: 'canceled', canceledAt: at, endsAt: at })).toEqual(['updated', 'canceled'])
})
