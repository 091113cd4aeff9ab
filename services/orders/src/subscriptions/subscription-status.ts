import {
  AlreadyCanceledSubscription,
  SubscriptionUpdatePending,
  subscriptionActive,
  subscriptionCanceled,
  subscriptionCreated,
  subscriptionRevoked,
  subscriptionUncanceled,
  subscriptionUpdated,
} from '@quittance/contracts/subscriptions'
import type { SubscriptionStatus } from '@quittance/contracts/subscription-status'
import type { Event } from '@quittance/contracts/event'

/** Allowed transitions. All others are rejected; terminal states have none. */
const transitions: Record<SubscriptionStatus, readonly SubscriptionStatus[]> = {
  incomplete: ['trialing', 'active', 'incomplete_expired', 'canceled'],
  trialing: ['active', 'past_due', 'canceled'],
  active: ['past_due', 'canceled'],
  past_due: ['active', 'unpaid', 'canceled'],
  unpaid: ['active', 'canceled'],
  incomplete_expired: [],
  canceled: [],
}

export function canTransition(from: SubscriptionStatus, to: SubscriptionStatus): boolean {
  return transitions[from].includes(to)
}

/** Returns whether no status can follow. */
export function isTerminal(status: SubscriptionStatus): boolean {
  return transitions[status].length === 0
}

/** The customer has access to what they pay for. */
export const activeStatuses: readonly SubscriptionStatus[] = ['trialing', 'active']

/** The subscription is charged, or a charge is retried. */
export const billableStatuses: readonly SubscriptionStatus[] = ['trialing', 'active', 'past_due']

/** The customer has lost access. */
export const revokedStatuses: readonly SubscriptionStatus[] = ['past_due', 'canceled', 'unpaid']

/** Fields of a subscription that determine the events of a change. */
export interface SubscriptionSnapshot {
  status: SubscriptionStatus
  canceledAt: Date | null
  endsAt: Date | null
}

/** Returns the events of a change in publication order; `before` is null for a new subscription. */
export function eventsForChange(
  before: SubscriptionSnapshot | null,
  after: SubscriptionSnapshot,
): Event<(typeof subscriptionUpdated)['payload']>[] {
  const isActive = activeStatuses.includes(after.status)
  if (!before) return isActive ? [subscriptionCreated, subscriptionActive] : [subscriptionCreated]
  const events = [subscriptionUpdated as Event<(typeof subscriptionUpdated)['payload']>]
  if (isActive && !activeStatuses.includes(before.status)) events.push(subscriptionActive)
  if (after.canceledAt && after.endsAt?.getTime() !== before.endsAt?.getTime()) events.push(subscriptionCanceled)
  if (before.canceledAt && !after.canceledAt) events.push(subscriptionUncanceled)
  if (revokedStatuses.includes(after.status) && !revokedStatuses.includes(before.status)) events.push(subscriptionRevoked)
  return events
}

/** An order of the subscription is not paid yet. */
export function createUpdatePendingError(): SubscriptionUpdatePending {
  return new SubscriptionUpdatePending('This subscription is pending an update.')
}

export function createAlreadyCanceledError(): AlreadyCanceledSubscription {
  return new AlreadyCanceledSubscription('This subscription is already canceled or will be at the end of the period.')
}
