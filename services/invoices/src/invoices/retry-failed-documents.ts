import { job } from '@quittance/runtime/handler'

/** Longer than one cycle of attempts, so that a document that cannot be rendered costs next to nothing. */
const retryAfterHours = 6

// A failed invoice can be requested again through the API; credit notes, their reversals and replacements cannot.
const retry = `
  update invoices set status = 'requested', attempts = 0, next_attempt_at = now(), modified_at = now(), version = version + 1
  where status = 'failed' and modified_at < now() - :hours * interval '1 hour' and (kind = 'credit_note' or replaces_id is not null or reverses_id is not null)
  returning id`

/** Retries failed credit notes, reversals and replacements under their existing numbers. */
export const retryFailedDocuments = job({
  name: 'retry-failed-documents',
  everyMs: 600_000,
  async run({ systemSql, log }) {
    const retried = await systemSql<{ id: string }>('invoices.retry-failed', retry, { hours: retryAfterHours })
    for (const { id } of retried) log.info({ invoice_id: id }, 'invoice.retried')
    return false
  },
})
