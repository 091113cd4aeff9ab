import { job, type Rows } from '@quittance/runtime/handler'

const batch = 1_000

/** Rows that nothing can be done with any more. What hangs on a grant goes with it. */
const conditions: Record<string, string> = {
  grants: `expires_at < now()`,
  sessions: `expires_at < now()`,
  short_lived_records: `expires_at < now()`,
  sign_in_attempts: `expire < extract(epoch from now()) * 1000`,
  // Longer than anything they signed is good for.
  signing_keys: `retired_at < now() - interval '90 days'`,
  // Registered by nobody and never used: anyone can make them.
  clients: `account_id is null and not is_trusted and created_at < now() - interval '90 days'
    and not exists (select from grants g where g.client_id = swept.client_id)
    and not exists (select from consents c where c.client_id = swept.client_id)`,
}

const tokenTables = ['authorization_codes', 'oauth_access_tokens', 'refresh_tokens']

/** Those whose last token just ran out. A day old at least: a JWT access token has no row, and lives an hour. */
const endedGrants = `delete from grants g
  where g.id = any(:ids) and g.created_at < now() - interval '1 day'
    ${tokenTables.map((table) => `and not exists (select from ${table} t where t.grant_id = g.id)`).join(' ')}`

/** Removes expired rows in batches. Replicas share the work: what one is removing, the others pass over. */
export const sweepExpired = job({
  name: 'sweep-expired',
  everyMs: 60_000,
  async run({ rows }) {
    let more = false
    for (const [table, condition] of Object.entries(conditions)) {
      more = (await sweep(rows, { table, condition, returning: '1' })).length === batch || more
    }
    for (const table of tokenTables) {
      const swept = await sweep<{ grant_id: string }>(rows, { table, condition: `expires_at < now()`, returning: 'grant_id' })
      if (swept.length > 0) await rows('sweep.ended-grants', endedGrants, { ids: [...new Set(swept.map(({ grant_id }) => grant_id))] })
      more = swept.length === batch || more
    }
    return more
  },
})

function sweep<Row>(rows: Rows, { table, condition, returning }: { table: string; condition: string; returning: string }): Promise<Row[]> {
  return rows<Row>(
    `sweep.${table}`,
    `delete from ${table} where ctid = any(array(
      select swept.ctid from ${table} swept where ${condition} limit ${batch} for update skip locked)) returning ${returning}`,
  )
}
