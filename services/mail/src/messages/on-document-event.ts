import { creditNoteGenerated } from '@quittance/contracts/credit-note-events'
import { invoiceGenerated } from '@quittance/contracts/invoices'
import { durableConsumers } from '@quittance/contracts/streams'
import { consumer, type EventMessage, type Transaction } from '@quittance/runtime/handler'
import { storeMessage } from './store-message.ts'

/** Sends the link to an invoice. Events of release 0.1.0 have no recipient. */
export const onInvoiceEvent = consumer(durableConsumers.mailInvoices, [invoiceGenerated], async (message, transaction) => {
  const { invoice_id: id, number, delivery } = message.payload
  if (delivery) await storeDocumentMessage(transaction, message, { kind: 'invoice', id, number, ...delivery })
})

/** Sends the link to a credit note. */
export const onCreditNoteEvent = consumer(durableConsumers.mailCreditNotes, [creditNoteGenerated], async (message, transaction) => {
  const { credit_note_id, number, delivery } = message.payload
  await storeDocumentMessage(transaction, message, { kind: 'credit_note', id: credit_note_id, number, ...delivery })
})

type Delivery = NonNullable<EventMessage<typeof creditNoteGenerated>['payload']['delivery']>

interface SentDocument extends Delivery {
  kind: 'invoice' | 'credit_note'
  id: string
  number: string
}

async function storeDocumentMessage(transaction: Transaction, message: EventMessage, sent: SentDocument): Promise<void> {
  await storeMessage(transaction, message, {
    data: {
      kind: sent.kind,
      number: sent.number,
      currency: sent.currency,
      total: sent.total_amount,
      url: sent.url,
      urlExpiresAt: sent.url_expires_at,
    },
    sourceId: sent.id,
    recipientId: sent.customer_id ?? sent.id,
    customerId: sent.customer_id,
    recipient: sent.recipient,
    locale: sent.locale,
  })
}
