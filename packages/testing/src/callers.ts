import type { Caller } from '@quittance/contracts/caller'

/** A credential of one organization. */
export function organizationCaller(organizationId: string): Extract<Caller, { kind: 'organization' }> {
  return { kind: 'organization', organization_id: organizationId, token_id: 'test', client_id: null, user_id: null }
}

/** A credential of a person who is a member of these organizations. */
export function userCaller({ userId, organizationIds }: { userId: string; organizationIds: string[] }): Caller {
  return { kind: 'user', user_id: userId, organization_ids: organizationIds, token_id: 'test', client_id: null }
}

/** The portal session of a customer. */
export function customerCaller({ organizationId, customerId }: { organizationId: string; customerId: string }): Caller {
  return { kind: 'customer', organization_id: organizationId, customer_id: customerId, token_id: 'test' }
}
