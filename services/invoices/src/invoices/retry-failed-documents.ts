import { job } from '@quittance/runtime/handler'

/** Longer than one cycle of attempts, so that a document that cannot be rendered costs next to nothing. */
const retryAfterHours = 6

/** An outage can leave more failed documents than one statement updates within its time limit. */
const batch = 500

const retry = `
  update invoices set status = 'requested', attempts = 0, next_attempt_at = now(), modified_at = now(), version = version + 1
  where id = any (array(select id from invoices where status = 'failed' and modified_at < now() - :hours * interval '1 hour'
    order by modified_at limit ${batch} for update skip locked))
  returning id`

/** Retries failed documents under their existing numbers: what made them fail may have been temporary. */
export const retryFailedDocuments = job({
  name: 'retry-failed-documents',
  everyMs: 600_000,
  async run({ systemSql, log }) {
    const retried = await systemSql<{ id: string }>('invoices.retry-failed', retry, { hours: retryAfterHours })
    for (const { id } of retried) log.info({ invoice_id: id }, 'invoice.retried')
    return retried.length === batch
  },
})
