import type { Service } from '@quittance/runtime/service'
import { config } from './config.ts'
import { database } from './database.ts'
import { mailboxRoutes } from './mailbox/mailbox-routes.ts'
import { onCustomerDeleted, onCustomerUpdated } from './messages/customer-copy.ts'
import { onDeclarationEvent } from './messages/on-declaration-event.ts'
import { onCreditNoteEvent, onInvoiceEvent } from './messages/on-document-event.ts'
import { onEndpointEvent } from './messages/on-endpoint-event.ts'
import { onOrganizationEvent } from './messages/on-organization-event.ts'
import { onPaymentAccountEvent } from './messages/on-payment-account-event.ts'
import { onPaymentActionRequired } from './messages/on-payment-action.ts'
import { onOrderPaid, onOrderRefunded, onRefundEvent } from './messages/on-sale-events.ts'
import { onAccountMailRequested, onCustomerCodeRequested } from './messages/on-secret-events.ts'
import { onSubscriptionEvent } from './messages/on-subscription-event.ts'
import { listMailMessages } from './messages/message-queries.ts'
import { createMailOptOut } from './opt-outs/create-opt-out.ts'
import { resealSecrets } from './reseal-secrets.ts'
import { checkSenders } from './senders/check-senders.ts'
import { createMailSender, deleteMailSender, listMailSenders, verifyMailSender } from './senders/sender-operations.ts'
import { expireMessages, removeOldMessages, startGauges } from './sending/retention-jobs.ts'
import { startSender } from './sending/send-due-messages.ts'

/** Mails about sales, to customers. */
export const mail: Service = {
  name: 'mail',
  readConfig: config,
  database,
  handlers: [listMailMessages, createMailSender, listMailSenders, verifyMailSender, deleteMailSender, createMailOptOut],
  consumers: [
    onOrganizationEvent,
    onCustomerUpdated,
    onCustomerDeleted,
    onOrderPaid,
    onPaymentActionRequired,
    onOrderRefunded,
    onRefundEvent,
    onSubscriptionEvent,
    onInvoiceEvent,
    onCreditNoteEvent,
    onCustomerCodeRequested,
    onAccountMailRequested,
    onDeclarationEvent,
    onEndpointEvent,
    onPaymentAccountEvent,
  ],
  jobs: [expireMessages, removeOldMessages, checkSenders, resealSecrets],
  components: [startSender, startGauges],
  internalRoutes: mailboxRoutes,
}
