import { orderInvoiceRequested } from '@quittance/contracts/invoice-source'
import { orderInvoiceDue } from '@quittance/contracts/unpaid-invoices'
import { durableConsumers } from '@quittance/contracts/streams'
import { consumer, type Transaction } from '@quittance/runtime/handler'
import type { DocumentSource } from './document-snapshot.ts'
import { findCurrentInvoice, Invoice } from './invoice.ts'
import { issueRefundCreditNotes } from './issue-credit-notes.ts'
import { issueDocument, lockDocuments } from './issue-document.ts'
import { recordReversedRefunds, reverseCreditNotes } from './reverse-credit-notes.ts'
import { renderingJobName } from './rendering-jobs.ts'
import { recordTransferPayment } from './transfer-payment.ts'

const selectIssued = `select from invoices where order_id = :order_id and organization_id = any (:scope_organizations) limit 1`

/**
 * Issues the invoice of an order, a credit note for each refund, and a reversal of the credit note of each refund that was returned, each
 * exactly once however often the event arrives. Failed documents are retried.
 */
export const onOrderInvoiceRequested = consumer(
  durableConsumers.invoicesOrderInvoiceRequested,
  [orderInvoiceRequested],
  async ({ payload: source }, context) => {
    context.bindOrganization(source.organization.id)
    const invoice = await findOrIssueInvoice(source, context)
    await recordTransferPayment(invoice.source, source, context)
    const reversed = await recordReversedRefunds(source, context)
    // First, so that a later refund fits into the invoice again.
    await reverseCreditNotes(invoice, reversed, context)
    await issueRefundCreditNotes(invoice, { source, reversed }, context)
    context.wake(renderingJobName)
  },
)

/**
 * Issues the invoice of an order that waits for a bank transfer. It names the account and the reference. If the order has an invoice, because
 * it was paid and requested again before this event was handled, that one stays.
 */
export const onOrderInvoiceDue = consumer(
  durableConsumers.invoicesOrderInvoiceDue,
  [orderInvoiceDue],
  async ({ payload: source }, context) => {
    context.bindOrganization(source.organization.id)
    await findOrIssueInvoice(source, context)
    context.wake(renderingJobName)
  },
)

/** Returns the current invoice of an order, or issues the first one. */
async function findOrIssueInvoice(source: DocumentSource, context: Transaction): Promise<Invoice> {
  const { em, sql, now } = context
  const { order_id } = source
  // Most orders have one such event; then there is nothing to lock and to load.
  const isIssued = (await sql('invoice.is-issued', selectIssued, { order_id })).length > 0
  if (isIssued) await lockDocuments(context, order_id)
  const issued = isIssued ? await em.find(Invoice, { orderId: order_id }) : []
  for (const each of issued) each.resetAttempts(now)
  return findCurrentInvoice(issued) ?? issueDocument({ kind: 'invoice', source }, context)
}
