import { UsageEventInput } from '@quittance/contracts/usage-events'
import { expect, test } from 'vitest'
import { resolveEvents } from './resolve-events.ts'

const now = new Date('2026-06-01T12:00:00.000Z')
const organizationId = '4f0f7c2e-1d1b-4c3a-9b5e-000000000001'
const caller = { kind: 'organization', organization_id: organizationId, token_id: 'test', client_id: null, user_id: null } as const
const resolveTime = (timestamp?: string) =>
  resolveEvents([UsageEventInput.parse({ name: 'a', external_customer_id: 'b', timestamp })], { caller, now })[0]?.occurredAt

test('a missing time and up to 5 minutes ahead are now; an earlier time keeps its text [usage 8]', () => {
  expect(resolveTime()).toBe(now.toISOString())
  expect(resolveTime('2026-06-01T12:05:00Z')).toBe(now.toISOString())
  expect(resolveTime('2026-06-01T13:59:59.123456+02:00')).toBe('2026-06-01T13:59:59.123456+02:00')
  expect(() => resolveTime('2026-06-01T12:05:00.001Z')).toThrow('at most 5 minutes')
})
