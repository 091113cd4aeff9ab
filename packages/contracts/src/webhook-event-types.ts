import { z } from 'zod'

/** The event types of the June 2025 contract. */
const juneEventTypes = [
  'checkout.created',
  'checkout.updated',
  'customer.created',
  'customer.updated',
  'customer.deleted',
  'customer.state_changed',
  'order.created',
  'order.updated',
  'order.paid',
  'order.refunded',
  'subscription.created',
  'subscription.updated',
  'subscription.active',
  'subscription.canceled',
  'subscription.uncanceled',
  'subscription.revoked',
  'refund.created',
  'refund.updated',
  'product.created',
  'product.updated',
  'benefit.created',
  'benefit.updated',
  'benefit_grant.created',
  'benefit_grant.cycled',
  'benefit_grant.updated',
  'benefit_grant.revoked',
  'organization.updated',
] as const

/** Types that only endpoints get which select them: clients of June 2025 cannot list such endpoints. */
const laterEventTypes = [
  'webhook_endpoint.failing',
  'webhook_endpoint.disabled',
  'order.payment_failed',
  'order.payment_action_required',
  'payment.created',
  'payment.updated',
  'payment_method.updated',
  'dispute.created',
  'dispute.updated',
  'subscription.trial_ending',
  'payment_account.unhealthy',
] as const

/** The types that endpoints can select. */
export const webhookEventTypes = [...juneEventTypes, ...laterEventTypes] as const

/** Whether clients of June 2025 know a type. */
export function isJuneEventType(type: string): boolean {
  return (juneEventTypes as readonly string[]).includes(type)
}

export type WebhookEventType = (typeof webhookEventTypes)[number]

/** Filters that an endpoint may select besides single types: all types of one resource (`order.*`), or all (`*`). */
export const webhookEventWildcards = ['*', ...new Set(webhookEventTypes.map((type) => `${type.split('.')[0]}.*` as const))] as const
export type WebhookEventFilter = WebhookEventType | (typeof webhookEventWildcards)[number]

export const EventFilter = z.enum([...webhookEventTypes, ...webhookEventWildcards]).meta({ id: 'WebhookEventFilter' })
/** The selection of an endpoint. */
export const EventSelection = z
  .array(EventFilter)
  .min(1)
  .max(webhookEventTypes.length + webhookEventWildcards.length)
  .describe(
    'Types, `order.*` for all types of a resource, or `*` for all. Clients with a closed list of types cannot parse endpoints that use the wildcards.',
  )
