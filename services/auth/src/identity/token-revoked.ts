import { tokenRevoked } from '@quittance/contracts/auth'
import type { PayloadOf } from '@quittance/contracts/event'
import type { OutboxEvent } from '@quittance/runtime/outbox'

/** Credentials to evict from caches, and the aggregate of the event. */
interface Forgotten extends Partial<PayloadOf<typeof tokenRevoked>> {
  aggregateId: string
  organizationId?: string | null | undefined
}

/** Creates the event that evicts cached credentials from the gateways. */
export function tokenRevokedEvent({ aggregateId, organizationId, ...selector }: Forgotten): OutboxEvent<typeof tokenRevoked> {
  return {
    event: tokenRevoked,
    aggregateId,
    organizationId: organizationId ?? null,
    payload: { token_hash: null, grant_id: null, client_id: null, user_id: null, ...selector },
  }
}

interface RevokedToken {
  id: string
  organizationId?: string | null | undefined
  tokenHash: string
}

/** Creates the event that evicts one access token. */
export function tokenRevokedEventFor({ id, organizationId, tokenHash }: RevokedToken): OutboxEvent<typeof tokenRevoked> {
  return tokenRevokedEvent({ aggregateId: id, organizationId: organizationId ?? null, token_hash: tokenHash })
}
