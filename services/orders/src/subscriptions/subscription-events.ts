import type { Event } from '@quittance/contracts/event'
import {
  subscriptionActive,
  subscriptionCanceled,
  subscriptionCreated,
  subscriptionRevoked,
  subscriptionUncanceled,
  subscriptionUpdated,
  type SubscriptionStatus,
} from '@quittance/contracts/subscriptions'
import { activeStatuses, revokedStatuses } from './subscription-status.ts'

/** What of a subscription decides which events tell of a change. */
export interface Standing {
  status: SubscriptionStatus
  canceledAt: Date | null
  endsAt: Date | null
}

/** The events of a change, in the order they are told; `before` is null for a new subscription. */
export function eventsOf(before: Standing | null, after: Standing): Event<(typeof subscriptionUpdated)['payload']>[] {
  const isActive = activeStatuses.includes(after.status)
  if (!before) return isActive ? [subscriptionCreated, subscriptionActive] : [subscriptionCreated]
  const events = [subscriptionUpdated as Event<(typeof subscriptionUpdated)['payload']>]
  if (isActive && !activeStatuses.includes(before.status)) events.push(subscriptionActive)
  if (after.canceledAt && after.endsAt?.getTime() !== before.endsAt?.getTime()) events.push(subscriptionCanceled)
  if (before.canceledAt && !after.canceledAt) events.push(subscriptionUncanceled)
  if (revokedStatuses.includes(after.status) && !revokedStatuses.includes(before.status)) events.push(subscriptionRevoked)
  return events
}
