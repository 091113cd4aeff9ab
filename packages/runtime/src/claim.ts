import type { Rows } from './handler.ts'

/** In one order for everybody, so that nobody waits in a circle. */
const claim = `
  select pg_advisory_xact_lock(key) from (
    select distinct hashtextextended(name, 0) as key from unnest(:names::text[]) name order by key) keys`

/**
 * Claims names until the transaction ends: whoever else claims one of them waits, and then sees what was done. For what must be unique,
 * so that of many at once the later ones are refused by name; the table's constraint stands behind it.
 */
export async function claimNames(rows: Rows, names: readonly string[]): Promise<void> {
  if (names.length > 0) await rows('claim-names', claim, { names })
}
