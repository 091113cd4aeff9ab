import type { RunningSystem } from '@quittance/testing/system'
import { Client, type QueryResultRow } from 'pg'

/** Opens a connection to the auth database; the caller ends it. */
export async function connectToAuth({ readReadyFile }: RunningSystem): Promise<Client> {
  const url = new URL(readReadyFile().postgres_url ?? '')
  url.pathname = '/auth'
  const database = new Client({ connectionString: url.href })
  await database.connect()
  return database
}

async function queryAuth<Row extends QueryResultRow>(system: RunningSystem, sql: string): Promise<Row[]> {
  const database = await connectToAuth(system)
  try {
    return (await database.query<Row>(sql)).rows
  } finally {
    await database.end()
  }
}

/**
 * Returns grants with missing or duplicate tokens. Every consumed code or refresh token must have produced exactly one refresh token and
 * one access token, and at most one refresh token may still be usable. An expired code has been deleted: it was consumed if there are tokens.
 */
export function findInconsistentGrants(system: RunningSystem): Promise<unknown[]> {
  return queryAuth(
    system,
    `select * from (
      select id,
        (select case count(*) when 0 then exists (select from refresh_tokens where grant_id = g.id)::int
            else count(*) filter (where consumed_at is not null) end from authorization_codes where grant_id = g.id)
          + (select count(*) from refresh_tokens where grant_id = g.id and consumed_at is not null) as used,
        (select count(*) from refresh_tokens where grant_id = g.id) as refresh_tokens,
        (select count(*) from oauth_access_tokens where grant_id = g.id) as access_tokens,
        (select count(*) from refresh_tokens where grant_id = g.id and consumed_at is null) as usable
      from grants g) each_grant
    where refresh_tokens <> used or access_tokens <> used or usable > 1`,
  )
}

/** Counts statements that wait for a lock. Uses a separate connection: within a transaction the result never changes. */
export async function findWaitingStatements(system: RunningSystem): Promise<number> {
  const sql = `select count(*)::int as count from pg_stat_activity where datname = 'auth' and wait_event_type = 'Lock'`
  const [row] = await queryAuth<{ count: number }>(system, sql)
  return row?.count ?? 0
}
