import { orderInvoiceRequested } from '@quittance/contracts/orders'
import { subscriptions } from '@quittance/contracts/streams'
import { consumer } from '@quittance/runtime/handler'
import { Invoice } from './invoice.ts'
import { takeInvoiceNumber } from './invoice-number.ts'
import { renderingLanes } from './rendering-lanes.ts'

/** Issues the invoice: number and snapshot in one transaction. One per order, however often the event comes. */
export const onOrderInvoiceRequested = consumer(
  subscriptions.invoicesOrderInvoiceRequested,
  [orderInvoiceRequested],
  async ({ payload: source }, { em, rows, wake, now, actFor }) => {
    actFor(source.organization.id)
    const existing = await em.findOne(Invoice, { orderId: source.order_id })
    if (existing) {
      existing.revive(now)
    } else {
      em.create(Invoice, {
        organizationId: source.organization.id,
        orderId: source.order_id,
        number: await takeInvoiceNumber(rows, source.organization),
        status: 'requested',
        source,
        requestedAt: now,
        generatedAt: null,
        attempts: 0,
        nextAttemptAt: now,
        leasedUntil: null,
        lastError: null,
      })
    }
    for (const lane of renderingLanes) await wake(lane)
  },
)
