import type { SqlRunner } from './handler.ts'

/** All transactions lock in the same order, so that they cannot deadlock. */
const claim = `
  select pg_advisory_xact_lock(key) from (
    select distinct hashtextextended(name, 0) as key from unnest(:names::text[]) name order by key) keys`

/**
 * Locks names until the transaction ends: another transaction that locks one of them waits and then sees the committed changes. Used for
 * unique values, so that of concurrent requests the later ones get the specific error; the table's constraint remains as a safeguard.
 */
export async function lockNames(rows: SqlRunner, names: readonly string[]): Promise<void> {
  if (names.length > 0) await rows('claim-names', claim, { names })
}
