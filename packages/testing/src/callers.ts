import type { Caller } from '@quittance/contracts/caller'

/** Returns the caller of an organization credential. */
export function organizationCaller(organizationId: string): Extract<Caller, { kind: 'organization' }> {
  return { kind: 'organization', organization_id: organizationId, token_id: 'test', client_id: null, user_id: null }
}

/** Returns the caller of a credential of a user who is a member of these organizations. */
export function userCaller({ userId, organizationIds }: { userId: string; organizationIds: string[] }): Caller {
  return { kind: 'user', user_id: userId, organization_ids: organizationIds, token_id: 'test', client_id: null }
}

interface Session {
  organizationId: string
  customerId: string
  /** The one checkout the session is bound to. */
  checkoutId?: string
}

/** Returns the caller of a customer's portal session. */
export function customerCaller({ organizationId, customerId, checkoutId }: Session): Caller {
  return { kind: 'customer', organization_id: organizationId, customer_id: customerId, token_id: 'test', checkout_id: checkoutId ?? null }
}
