import type { ServiceName } from './services.ts'

/** The one JetStream stream. Limits retention: a missing consumer loses nothing for `maxAgeMs`. */
export const eventStream = {
  name: 'EVENTS',
  subjects: ['event.>'],
  /** Seven days, like the outbox keeps published rows. */
  maxAgeMs: 7 * 24 * 3_600_000,
  /** Window in which the server drops a second message with the same `Nats-Msg-Id`. */
  duplicateWindowMs: 10 * 60_000,
} as const

/** A durable consumer of the stream. One filter each, as servers before 2.10 know no more. */
export interface Subscription {
  durable: string
  service: ServiceName
  subject: string
}

/** Who hears what. Declared here because the NATS permissions of a service name its durables. */
export const subscriptions = {
  ordersOrganizations: { durable: 'orders-organizations', service: 'orders', subject: 'event.organization.*' },
  ordersInvoiceGenerated: { durable: 'orders-invoice-generated', service: 'orders', subject: 'event.invoice.generated' },
  invoicesOrderInvoiceRequested: {
    durable: 'invoices-order-invoice-requested',
    service: 'invoices',
    subject: 'event.order.invoice_requested',
  },
  webhooksPublicEvents: { durable: 'webhooks-public-events', service: 'webhooks', subject: 'event.>' },
} as const satisfies Record<string, Subscription>
