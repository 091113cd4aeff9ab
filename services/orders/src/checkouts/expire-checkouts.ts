import { job } from '@quittance/runtime/handler'

const expire = `
  update checkouts set status = 'expired', modified_at = now(), version = version + 1
  where id in (select id from checkouts where status = 'open' and expires_at <= now() order by expires_at limit 500 for update skip locked)
  returning id`

/** Closes checkouts that were not confirmed in time. A late confirmation is already rejected by its time; this only tidies the lists. */
export const expireCheckouts = job({
  name: 'expire-checkouts',
  everyMs: 60_000,
  async run({ systemSql }) {
    return (await systemSql('checkouts.expire', expire)).length === 500
  },
})
