import { deviceDays } from '../sign-in/known-devices.ts'
import { job } from '@quittance/runtime/handler'
import type { SystemSql } from '@quittance/sql/sql-runner'

const batch = 1_000

/** Conditions of rows that are no longer usable. Rows that reference a grant are deleted with it. */
const conditions: Record<string, string> = {
  grants: `expires_at < now()`,
  // The mark of an ended session outlives every request that loaded the session before its end.
  sessions: `expires_at < now() and (expires_at > '-infinity' or seen_at < now() - interval '1 hour')`,
  short_lived_records: `expires_at < now()`,
  invitations: `expires_at < now() - interval '90 days'`,
  password_resets: `expires_at < now()`,
  // The cookie has expired by then.
  known_devices: `signed_in_at < now() - interval '${deviceDays} days'`,
  sign_in_attempts: `expire < extract(epoch from now()) * 1000`,
  revoked_jwt_access_tokens: `expires_at < now()`,
  client_change_notices: `created_at < now() - interval '90 days'`,
  // Longer than the lifetime of anything they signed.
  signing_keys: `retired_at < now() - interval '90 days'`,
  // Registered anonymously and never used; anyone can create them.
  clients: `account_id is null and not is_trusted
    and created_at < now() - case when document_expires_at is null then interval '90 days' else interval '1 day' end
    and not exists (select from grants g where g.client_id = swept.client_id)
    and not exists (select from consents c where c.client_id = swept.client_id)`,
}

const tokenTables = ['authorization_codes', 'oauth_access_tokens', 'refresh_tokens']

/** Grants whose last token has just expired. At least a day old: a JWT access token has no row, and lives an hour. */
const endedGrants = `delete from grants g
  where g.id = any(:ids) and g.created_at < now() - interval '1 day'
    ${tokenTables.map((table) => `and not exists (select from ${table} t where t.grant_id = g.id)`).join(' ')}`

/** Deletes expired rows in batches. Replicas share the work: each skips the rows that another has locked. */
export const sweepExpired = job({
  name: 'sweep-expired',
  everyMs: 60_000,
  async run({ systemSql }) {
    let more = false
    for (const [table, condition] of Object.entries(conditions)) {
      more = (await sweep(systemSql, { table, condition, returning: '1' })).length === batch || more
    }
    for (const table of tokenTables) {
      const swept = await sweep<{ grant_id: string }>(systemSql, { table, condition: `expires_at < now()`, returning: 'grant_id' })
      if (swept.length > 0) await systemSql('sweep.ended-grants', endedGrants, { ids: [...new Set(swept.map(({ grant_id }) => grant_id))] })
      more = swept.length === batch || more
    }
    return more
  },
})

function sweep<Row>(
  systemSql: SystemSql,
  { table, condition, returning }: { table: string; condition: string; returning: string },
): Promise<Row[]> {
  return systemSql<Row>(
    `sweep.${table}`,
    `delete from ${table} where ctid = any(array(
      select swept.ctid from ${table} swept where ${condition} limit ${batch} for update skip locked)) returning ${returning}`,
  )
}
