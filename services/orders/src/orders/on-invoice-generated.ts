import { invoiceGenerated } from '@quittance/contracts/invoices'
import { orderUpdated } from '@quittance/contracts/orders'
import { durableConsumers } from '@quittance/contracts/streams'
import { consumer } from '@quittance/runtime/handler'
import { Order } from './order.ts'
import { orderView } from './order-view.ts'

// A document never changes, so its existence is published once. The replacement of a corrected invoice is generated later, and is current.
const markGenerated = `
  update orders set invoice_generated_at = :at::timestamptz, invoice_number = :number::text, modified_at = :now::timestamptz, version = version + 1,
    replaced_invoice_numbers = case when invoice_number is null then replaced_invoice_numbers else replaced_invoice_numbers || invoice_number end
  where id = :id and organization_id = any (:scope_organizations) and (invoice_generated_at is null or invoice_generated_at < :at::timestamptz)
  returning organization_id`

// The event of a replaced invoice can arrive after that of its replacement.
const recordReplaced = `
  update orders set replaced_invoice_numbers = replaced_invoice_numbers || :number::text, version = version + 1
  where id = :id and organization_id = any (:scope_organizations) and invoice_generated_at > :at::timestamptz
    and invoice_number <> :number and :number <> all (replaced_invoice_numbers)`

export const onInvoiceGenerated = consumer(
  durableConsumers.ordersInvoiceGenerated,
  [invoiceGenerated],
  async ({ payload: { order_id: id, number, generated_at: at } }, { em, sql, read, publish, now }) => {
    const [marked] = await sql<{ organization_id: string }>('order.mark-invoice-generated', markGenerated, { id, number, at, now })
    if (!marked) {
      await sql('order.record-replaced-invoice', recordReplaced, { id, number, at })
      // An order that does not exist is an error, not an invoice that is known.
      await em.findOneOrFail(Order, id)
      return
    }
    const payload = await read.one(orderView, { where: 'o.id = :id', values: { id } })
    publish({ event: orderUpdated, aggregateId: id, organizationId: marked.organization_id, payload })
  },
)
