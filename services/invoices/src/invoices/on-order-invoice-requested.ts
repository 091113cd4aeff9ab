import { orderInvoiceRequested } from '@quittance/contracts/orders'
import { durableConsumers } from '@quittance/contracts/streams'
import { consumer } from '@quittance/runtime/handler'
import { Invoice } from './invoice.ts'
import { issueRefundCreditNotes } from './issue-credit-notes.ts'
import { issueDocument } from './issue-document.ts'
import { recordReversedRefunds, reverseCreditNotes } from './reverse-credit-notes.ts'
import { renderingJobNames } from './rendering-jobs.ts'

const selectIssued = `select from invoices where order_id = :order_id and organization_id = any (:scope_organizations) limit 1`

/**
 * Issues the invoice of an order, a credit note for each refund, and a reversal of the credit note of each refund that was returned, each
 * exactly once however often the event arrives. Failed documents are retried.
 */
export const onOrderInvoiceRequested = consumer(
  durableConsumers.invoicesOrderInvoiceRequested,
  [orderInvoiceRequested],
  async ({ payload: source }, context) => {
    const { em, sql, wake, now, bindOrganization } = context
    const { order_id } = source
    bindOrganization(source.organization.id)
    // Most orders have one such event; then there is nothing to load.
    const issued =
      (await sql('invoice.is-issued', selectIssued, { order_id })).length > 0 ? await em.find(Invoice, { orderId: order_id }) : []
    for (const each of issued) each.resetAttempts(now)
    const invoice = findCurrentInvoice(issued) ?? (await issueDocument({ kind: 'invoice', source }, context))
    const reversed = await recordReversedRefunds(source, context)
    // First, so that a later refund fits into the invoice again.
    await reverseCreditNotes(invoice, reversed, context)
    await issueRefundCreditNotes(invoice, { source, reversed }, context)
    wake(...renderingJobNames)
  },
)

/** Returns the current invoice of an order: the first, or the last replacement. */
function findCurrentInvoice(issued: Invoice[]): Invoice | undefined {
  return issued.find(({ id, kind, reversesId }) => kind === 'invoice' && !reversesId && !issued.some(({ replacesId }) => replacesId === id))
}
