import type { BusServiceName } from './services.ts'

/** The only JetStream stream. Limits retention: a stopped consumer loses nothing for `maxAgeMs`. */
export const eventStream = {
  name: 'EVENTS',
  subjects: ['event.>'],
  /** Seven days, the retention of published outbox rows. */
  maxAgeMs: 7 * 24 * 3_600_000,
  /** Window in which the server drops a second message with the same `Nats-Msg-Id`. */
  duplicateWindowMs: 10 * 60_000,
} as const

/** A durable consumer of the stream. One filter each, because servers before 2.10 support only one. */
export interface DurableConsumer {
  durable: string
  service: BusServiceName
  subject: string
}

/** All durable consumers. Declared here because the NATS permissions of a service name its durables. */
export const durableConsumers = {
  ordersOrganizations: { durable: 'orders-organizations', service: 'orders', subject: 'event.organization.*' },
  ordersInvoiceGenerated: { durable: 'orders-invoice-generated', service: 'orders', subject: 'event.invoice.generated' },
  ordersInvoiceSettings: { durable: 'orders-invoice-settings', service: 'orders', subject: 'event.invoice_settings.updated' },
  invoicesOrderInvoiceRequested: {
    durable: 'invoices-order-invoice-requested',
    service: 'invoices',
    subject: 'event.order.invoice_requested',
  },
  invoicesOrderInvoiceDue: { durable: 'invoices-order-invoice-due', service: 'invoices', subject: 'event.order.invoice_due' },
  invoicesOrderVoided: { durable: 'invoices-order-voided', service: 'invoices', subject: 'event.order.voided' },
  webhooksPublicEvents: { durable: 'webhooks-public-events', service: 'webhooks', subject: 'event.>' },
  mailOrganizations: { durable: 'mail-organizations', service: 'mail', subject: 'event.organization.snapshotted' },
  mailCustomers: { durable: 'mail-customers', service: 'mail', subject: 'event.customer.updated' },
  mailDeletedCustomers: { durable: 'mail-deleted-customers', service: 'mail', subject: 'event.customer.deleted' },
  mailOrders: { durable: 'mail-orders', service: 'mail', subject: 'event.order.paid' },
  mailPaymentActions: { durable: 'mail-payment-actions', service: 'mail', subject: 'event.order.payment_action_required' },
  mailRefundedOrders: { durable: 'mail-refunded-orders', service: 'mail', subject: 'event.order.refunded' },
  mailRefunds: { durable: 'mail-refunds', service: 'mail', subject: 'event.refund.*' },
  mailSubscriptions: { durable: 'mail-subscriptions', service: 'mail', subject: 'event.subscription.*' },
  mailCustomerCodes: { durable: 'mail-customer-codes', service: 'mail', subject: 'event.customer_code.requested' },
  mailDeclarations: { durable: 'mail-declarations', service: 'mail', subject: 'event.declaration.received' },
  mailEndpoints: { durable: 'mail-endpoints', service: 'mail', subject: 'event.webhook_endpoint.disabled' },
  mailPaymentAccounts: { durable: 'mail-payment-accounts', service: 'mail', subject: 'event.payment_account.unhealthy' },
  mailAccountMails: { durable: 'mail-account-mails', service: 'mail', subject: 'event.account_mail.requested' },
  mailInvoices: { durable: 'mail-invoices', service: 'mail', subject: 'event.invoice.generated' },
  mailCreditNotes: { durable: 'mail-credit-notes', service: 'mail', subject: 'event.credit_note.generated' },
  usageCustomers: { durable: 'usage-customers', service: 'usage', subject: 'event.customer.*' },
} as const satisfies Record<string, DurableConsumer>

/**
 * Returns the subject on which the provisioner resets a durable to the last acknowledged message. Only the durable's owner may publish to
 * it.
 */
export function resetSubject(durable: string): string {
  return `provisioner.durable.reset.${durable}`
}

/** Subject on which the provisioner compares published events with the stream. It returns which are missing, not their content. */
export const verifyEventsSubject = 'provisioner.events.verify'
