import { expect, test } from 'vitest'
import { eventsOf, type Standing } from './subscription-events.ts'

const active: Standing = { status: 'active', canceledAt: null, endsAt: null }
const at = new Date('2026-05-01T00:00:00Z')
const later = new Date('2026-06-01T00:00:00Z')
const ending: Standing = { status: 'active', canceledAt: at, endsAt: later }

function names(before: Standing | null, after: Standing): string[] {
  return eventsOf(before, after).map(({ webhookType }) => webhookType?.replace('subscription.', '') ?? '')
}

test('a new subscription is created, and active when nothing had to be paid', () => {
  expect(names(null, active)).toEqual(['created', 'active'])
  expect(names(null, { ...active, status: 'incomplete' })).toEqual(['created'])
})

test('every change says updated first, then what it meant', () => {
  expect(names(active, active)).toEqual(['updated'])
  expect(names({ ...active, status: 'incomplete' }, active)).toEqual(['updated', 'active'])
  expect(names(active, ending)).toEqual(['updated', 'canceled'])
  expect(names(ending, active)).toEqual(['updated', 'uncanceled'])
  expect(names(active, { status: 'canceled', canceledAt: at, endsAt: at })).toEqual(['updated', 'canceled', 'revoked'])
  expect(names(ending, { ...ending, status: 'canceled' })).toEqual(['updated', 'revoked'])
  expect(names(active, { ...active, status: 'past_due' })).toEqual(['updated', 'revoked'])
  expect(names({ ...active, status: 'past_due' }, active)).toEqual(['updated', 'active'])
})

test('access that was lost is not lost again', () => {
  expect(names({ ...active, status: 'past_due' }, { status: 'canceled', canceledAt: at, endsAt: at })).toEqual(['updated', 'canceled'])
})
