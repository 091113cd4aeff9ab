import type { WebhookEventType } from './webhooks.ts'

/** What one change tells, in this order. Events of one resource keep it; a failed delivery holds up no other. */
export interface EventOrder {
  /** Completes “When …”. */
  when: string
  types: readonly WebhookEventType[]
}

/** Of everything that tells more than one event. `customer.state_changed` follows where what a customer has changed. */
export const eventOrders: readonly EventOrder[] = [
  { when: 'a one-time sale is paid', types: ['order.created', 'order.updated', 'order.paid'] },
  { when: 'a renewal is due', types: ['order.created'] },
  { when: 'a payment completes', types: ['order.updated', 'order.paid'] },
  { when: 'an order is refunded', types: ['refund.created', 'order.updated', 'order.refunded'] },
  { when: 'a refund comes back', types: ['refund.updated', 'order.updated'] },
  { when: 'a subscription begins, and nothing has to be paid first', types: ['subscription.created', 'subscription.active'] },
  { when: 'a subscription is paid for the first time, or again', types: ['subscription.updated', 'subscription.active'] },
  { when: 'the end of a subscription is scheduled or moved', types: ['subscription.updated', 'subscription.canceled'] },
  { when: 'the scheduled end is withdrawn', types: ['subscription.updated', 'subscription.uncanceled'] },
  { when: 'a subscription is ended at once', types: ['subscription.updated', 'subscription.canceled', 'subscription.revoked'] },
  { when: 'a subscription ends as scheduled, or is not paid for any more', types: ['subscription.updated', 'subscription.revoked'] },
]
