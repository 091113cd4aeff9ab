import type { Caller, CustomerProof } from '@quittance/contracts/caller'

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
  checkoutId?: string | null
  proof?: CustomerProof | null
}

/** Returns the caller of a customer's portal session; by default one that the seller made. */
export function customerCaller({ organizationId, customerId, checkoutId = null, proof = checkoutId ? null : 'seller' }: Session): Caller {
  const ids = { organization_id: organizationId, customer_id: customerId, checkout_id: checkoutId }
  return { kind: 'customer', token_id: 'test', ...ids, proof }
}
