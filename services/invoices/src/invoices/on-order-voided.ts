import { durableConsumers } from '@quittance/contracts/streams'
import { orderVoided } from '@quittance/contracts/unpaid-invoices'
import { consumer } from '@quittance/runtime/handler'
import type { DocumentSnapshot } from './document-snapshot.ts'
import { findCurrentInvoice, Invoice } from './invoice.ts'
import { issueCreditNote, readCreditNotes } from './issue-credit-notes.ts'
import { lockDocuments } from './issue-document.ts'
import { renderingJobName } from './rendering-jobs.ts'

/** Issues a credit note over the whole invoice of an order that was voided, once however often the event arrives. It was never paid. */
export const onOrderVoided = consumer(
  durableConsumers.invoicesOrderVoided,
  [orderVoided],
  async ({ payload: { organization_id, order_id: orderId } }, context) => {
    context.bindOrganization(organization_id)
    await lockDocuments(context, orderId)
    const invoice = findCurrentInvoice(await context.em.find(Invoice, { orderId }))
    // The invoice that was requested is not issued yet: the event is handled again.
    if (!invoice) throw new Error(`Order ${orderId} has no invoice`)
    const { all } = await readCreditNotes(invoice, context)
    if (all.length > 0) return
    const { net, tax } = invoice.printed as DocumentSnapshot
    await issueCreditNote(invoice, { net, tax, refund: null, isOffset: true, isVoid: true }, context)
    context.wake(renderingJobName)
  },
)
