import { job } from '@quittance/runtime/handler'

const batch = 1_000

const sweep = `
  delete from customer_sessions where id = any(array(
    select id from customer_sessions where expires_at <= now() order by expires_at limit ${batch} for update skip locked)) returning 1`

/** Removes sessions that ran out. Replicas share the work: what one is removing, the others pass over. */
export const sweepCustomerSessions = job({
  name: 'sweep-customer-sessions',
  everyMs: 60_000,
  async run({ rows }) {
    return (await rows('customer-sessions.sweep', sweep)).length === batch
  },
})
