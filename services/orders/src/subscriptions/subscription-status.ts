import type { SubscriptionStatus } from '@quittance/contracts/subscriptions'

/** Where a status can go. What is not here is refused; ends have nowhere to go. */
const moves: Record<SubscriptionStatus, readonly SubscriptionStatus[]> = {
  incomplete: ['active', 'incomplete_expired', 'canceled'],
  trialing: ['active', 'past_due', 'canceled'],
  active: ['past_due', 'canceled'],
  past_due: ['active', 'unpaid', 'canceled'],
  unpaid: ['active', 'canceled'],
  incomplete_expired: [],
  canceled: [],
}

export function canMove(from: SubscriptionStatus, to: SubscriptionStatus): boolean {
  return moves[from].includes(to)
}

/** Nothing comes after these. */
export function isEnd(status: SubscriptionStatus): boolean {
  return moves[status].length === 0
}

/** The customer has what they pay for. */
export const activeStatuses: readonly SubscriptionStatus[] = ['trialing', 'active']

/** It is charged, or tried to. */
export const billableStatuses: readonly SubscriptionStatus[] = ['trialing', 'active', 'past_due']

/** The customer has lost access. */
export const revokedStatuses: readonly SubscriptionStatus[] = ['past_due', 'canceled', 'unpaid']
