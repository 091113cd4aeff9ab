import type { RunningSystem } from '@quittance/testing/system'
import { Client, type QueryResultRow } from 'pg'

/** A connection to the database of auth; the caller ends it. */
export async function connectToAuth({ facts }: RunningSystem): Promise<Client> {
  const url = new URL(facts().postgres_url ?? '')
  url.pathname = '/auth'
  const database = new Client({ connectionString: url.href })
  await database.connect()
  return database
}

async function look<Row extends QueryResultRow>(system: RunningSystem, sql: string): Promise<Row[]> {
  const database = await connectToAuth(system)
  try {
    return (await database.query<Row>(sql)).rows
  } finally {
    await database.end()
  }
}

/**
 * Grants of which something is missing or double: whatever was used up brought exactly one refresh token and one access token, and
 * one refresh token at most can still be used.
 */
export function oddGrants(system: RunningSystem): Promise<unknown[]> {
  return look(
    system,
    `select * from (
      select id,
        (select count(*) from authorization_codes where grant_id = g.id and consumed_at is not null)
          + (select count(*) from refresh_tokens where grant_id = g.id and consumed_at is not null) as used,
        (select count(*) from refresh_tokens where grant_id = g.id) as refresh_tokens,
        (select count(*) from oauth_access_tokens where grant_id = g.id) as access_tokens,
        (select count(*) from refresh_tokens where grant_id = g.id and consumed_at is null) as usable
      from grants g) each_grant
    where refresh_tokens <> used or access_tokens <> used or usable > 1`,
  )
}

/** Statements that wait for a lock. Asked on a connection of its own: within a transaction the answer never changes. */
export async function waitingStatements(system: RunningSystem): Promise<number> {
  const sql = `select count(*)::int as count from pg_stat_activity where datname = 'auth' and wait_event_type = 'Lock'`
  const [row] = await look<{ count: number }>(system, sql)
  return row?.count ?? 0
}
