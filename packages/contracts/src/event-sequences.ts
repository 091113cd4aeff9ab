import type { WebhookEventType } from './webhook-event-types.ts'

/** The events of one change, in order of publication. Events of one resource keep this order; a failed delivery delays no other. */
export interface EventSequence {
  /** Completes “When …”. */
  when: string
  types: readonly WebhookEventType[]
}

/** All changes that publish more than one event. `customer.state_changed` follows if the customer's subscriptions or benefits changed. */
export const eventSequences: readonly EventSequence[] = [
  { when: 'a one-time sale is paid', types: ['order.created', 'payment.created', 'order.updated', 'order.paid', 'payment.updated'] },
  { when: 'a renewal is due', types: ['order.created', 'payment.created'] },
  { when: 'a payment succeeds', types: ['order.updated', 'order.paid', 'payment.updated'] },
  { when: 'an order is refunded', types: ['refund.created', 'order.updated', 'order.refunded'] },
  { when: 'a refund is reversed', types: ['refund.updated', 'order.updated'] },
  { when: 'a subscription starts without a payment', types: ['subscription.created', 'subscription.active'] },
  { when: 'a subscription is paid for the first time or after it was past due', types: ['subscription.updated', 'subscription.active'] },
  { when: 'the end of a subscription is scheduled or moved', types: ['subscription.updated', 'subscription.canceled'] },
  { when: 'the scheduled end of a subscription is withdrawn', types: ['subscription.updated', 'subscription.uncanceled'] },
  { when: 'a subscription is ended immediately', types: ['subscription.updated', 'subscription.canceled', 'subscription.revoked'] },
  { when: 'a subscription ends as scheduled or after failed payments', types: ['subscription.updated', 'subscription.revoked'] },
]
