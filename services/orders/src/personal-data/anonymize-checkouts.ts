import { job } from '@quittance/runtime/handler'

/** Assignments that remove what was typed at a checkout, or sent for it by the seller, in SQL. The country stays with the taxes and with the order. */
export const anonymizedCheckout = `customer_name = null, customer_ip_address = null, customer_billing_name = null,
    customer_billing_address = null, customer_tax_id = null, external_customer_id = null, customer_metadata = '{}', anonymized_at = now(),
    modified_at = now(), version = version + 1`

/** Checkouts that were not confirmed keep the buyer's details for this time after they expired, for reminders that a seller sends. */
const abandonedDays = 90
const batch = 500

const anonymize = `
  update checkouts set customer_email = null, ${anonymizedCheckout}
  where id = any (array(
    select id from checkouts
    where status = 'expired' and customer_id is null and anonymized_at is null and expires_at < now() - interval '${abandonedDays} days'
    order by expires_at limit ${batch} for update skip locked))
  returning 1`

/** Removes personal data from checkouts that were abandoned long ago. */
export const anonymizeAbandonedCheckouts = job({
  name: 'anonymize-abandoned-checkouts',
  everyMs: 60_000,
  async run({ systemSql }) {
    return (await systemSql('checkouts.anonymize-abandoned', anonymize)).length === batch
  },
})
