import { eventually } from '@quittance/testing/eventually'
import { expect } from 'vitest'
import type { OrdersUnderTest } from './start-orders.ts'

/** Waits until this many transactions wait for a lock. */
export function waitForLocks(orders: OrdersUnderTest, count: number): Promise<void> {
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  return eventually(async () => expect(await orders.rows(waiting)).toHaveLength(count))
}

/** Waits until every event of the provider about a kind of objects is handled. */
export function waitUntilHandled(orders: OrdersUnderTest, kind: 'dispute' | 'refund'): Promise<void> {
  const unhandled = 'select from provider_events where object_kind = $1 and handled_at is null'
  return eventually(async () => expect(await orders.rows(unhandled, [kind])).toEqual([]))
}
