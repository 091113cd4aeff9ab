import { expect } from 'vitest'
import { eventually } from '@quittance/testing/eventually'
import type { OrdersUnderTest } from './start-orders.ts'

interface Turns {
  table: string
  /** SQL condition that a handled row meets. */
  handled: string
  /** Has many rows. */
  backlog: { organizationId: string }
  /** Has one. */
  other: { organizationId: string }
}

/**
 * Counts the handled rows of the backlog in the transaction that handles the row of the other organization: a test that looked afterwards
 * would count those of later turns too. Returns a function that waits for the count.
 */
export async function watchTurns(orders: OrdersUnderTest, { table, handled, backlog, other }: Turns): Promise<() => Promise<number>> {
  const count = ({ organizationId }: Turns['other']) => `count(*) filter (where organization_id = '${organizationId}')`
  await orders.rows(`create table turns (handled bigint not null);
    create function count_turns() returns trigger language plpgsql security definer as $turns$ begin
      insert into turns select ${count(backlog)} from ${table} where ${handled} having ${count(other)} > 0;
      return null; end $turns$;
    create trigger turns after update on ${table} for each row when (new.organization_id = '${other.organizationId}') execute function count_turns()`)
  return () =>
    eventually(async () => {
      const [first] = await orders.rows<{ handled: number }>('select min(handled)::int as handled from turns having count(*) > 0')
      expect(first).toBeDefined()
      return first?.handled ?? 0
    })
}
