import { orderInvoiceRequested } from '@quittance/contracts/orders'
import { subscriptions } from '@quittance/contracts/streams'
import { consumer } from '@quittance/runtime/handler'
import { Invoice } from './invoice.ts'
import { creditRefunds } from './issue-credit-notes.ts'
import { issueDocument } from './issue-document.ts'
import { renderingLanes } from './rendering-lanes.ts'

const isHeardOf = `select from invoices where order_id = :order_id limit 1`

/**
 * Issues what an order is due: its invoice, and a credit note for each refund. One of each, however often this is said; what failed is
 * tried again.
 */
export const onOrderInvoiceRequested = consumer(
  subscriptions.invoicesOrderInvoiceRequested,
  [orderInvoiceRequested],
  async ({ payload: source }, context) => {
    const { em, rows, wake, now, actFor } = context
    const { order_id } = source
    actFor(source.organization.id)
    // Of most orders this is heard once; then there is nothing to load.
    const issued =
      (await rows('invoice.is-heard-of', isHeardOf, { order_id })).length > 0 ? await em.find(Invoice, { orderId: order_id }) : []
    for (const each of issued) each.revive(now)
    const invoice = standing(issued) ?? (await issueDocument({ kind: 'invoice', source }, context))
    await creditRefunds(invoice, source, context)
    wake(...renderingLanes)
  },
)

/** The invoice of an order that stands: the first, or the last that replaced it. */
function standing(issued: Invoice[]): Invoice | undefined {
  return issued.find(({ id, kind }) => kind === 'invoice' && !issued.some(({ replacesId }) => replacesId === id))
}
