import { job } from '@quittance/runtime/handler'

/** Longer than a round of tries, so that a document that cannot be made costs next to nothing. */
const reviveAfterHours = 6

// An invoice is asked for again by whoever wants it; the others nobody can ask for.
const revive = `
  update invoices set status = 'requested', attempts = 0, next_attempt_at = now(), modified_at = now(), version = version + 1
  where status = 'failed' and modified_at < now() - :hours * interval '1 hour' and (kind = 'credit_note' or replaces_id is not null)
  returning id`

/** Credit notes and replacements that were given up get another round of tries, under the number they have. */
export const reviveGivenUp = job({
  name: 'revive-given-up',
  everyMs: 600_000,
  async run({ rows, log }) {
    const revived = await rows<{ id: string }>('invoice.revive', revive, { hours: reviveAfterHours })
    for (const { id } of revived) log.info({ invoice_id: id }, 'invoice.revived')
    return false
  },
})
