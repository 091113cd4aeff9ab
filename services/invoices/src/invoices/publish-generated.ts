import { creditNoteGenerated } from '@quittance/contracts/credit-note-events'
import { invoiceGenerated } from '@quittance/contracts/invoices'
import type { Transaction } from '@quittance/runtime/handler'
import { createMailedLink } from '../documents/document-link.ts'
import type { ClaimedInvoice } from './claim-invoice.ts'
import type { DocumentSnapshot } from './document-snapshot.ts'

interface GeneratedDocument {
  claimed: ClaimedInvoice
  order_id: string
  customer_id: string | null
  sha256: string
}

/** Publishes that a document is stored, with its recipient and a link for the mail. The reversal of a credit note has no event. */
export function publishGenerated(
  { claimed, order_id, customer_id, sha256 }: GeneratedDocument,
  { publish, now }: Pick<Transaction, 'publish' | 'now'>,
): void {
  const { id, organization_id: organizationId, number, kind, printed, reverses_id } = claimed
  if (reverses_id !== null || printed === null) return
  const generated_at = now.toISOString()
  const about = { aggregateId: id, organizationId }
  const delivery = { customer_id, ...describeDelivery(id, { printed, now }) }
  if (kind === 'credit_note') {
    publish({ event: creditNoteGenerated, ...about, payload: { credit_note_id: id, order_id, number, generated_at, delivery } })
  } else {
    publish({ event: invoiceGenerated, ...about, payload: { invoice_id: id, order_id, number, sha256, generated_at, delivery } })
  }
}

function describeDelivery(id: string, { printed, now }: { printed: string; now: Date }) {
  const { buyer, locale, currency, total } = JSON.parse(printed) as DocumentSnapshot
  const { url, expiresAt } = createMailedLink(id, now)
  return { recipient: buyer.email, locale, currency, total_amount: total, url, url_expires_at: expiresAt.toISOString() }
}
