import { orderInvoiceRequested } from '@quittance/contracts/orders'
import { subscriptions } from '@quittance/contracts/streams'
import { consumer, type Transaction } from '@quittance/runtime/handler'
import { Invoice } from './invoice.ts'
import { creditRefunds } from './issue-credit-notes.ts'
import { issueDocument } from './issue-document.ts'
import { renderingLanes } from './rendering-lanes.ts'

/**
 * Issues what an order is due: its invoice, and a credit note for each refund. One of each, however often this is said; what failed is
 * tried again.
 */
export const onOrderInvoiceRequested = consumer(
  subscriptions.invoicesOrderInvoiceRequested,
  [orderInvoiceRequested],
  async ({ payload: source }, context) => {
    const { wake, now, actFor } = context
    actFor(source.organization.id)
    const current = await currentInvoice(source.order_id, context)
    current?.revive(now)
    const invoice = current ?? (await issueDocument({ kind: 'invoice', source }, context))
    await creditRefunds(invoice, source, context)
    await wake(...renderingLanes)
  },
)

/** The invoice of an order that stands: the first, or the last that replaced it. */
async function currentInvoice(orderId: string, { em }: Transaction): Promise<Invoice | null> {
  const invoices = await em.find(Invoice, { orderId, kind: 'invoice' })
  return invoices.find(({ id }) => !invoices.some(({ replacesId }) => replacesId === id)) ?? null
}
