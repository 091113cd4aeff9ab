import { tokenRevoked } from '@quittance/contracts/auth'
import type { PayloadOf } from '@quittance/contracts/event'
import type { Fact } from '@quittance/runtime/outbox'
import type { AccessToken } from './access-token.ts'

/** What to forget, and what it is about. */
interface Forgotten extends Partial<PayloadOf<typeof tokenRevoked>> {
  aggregateId: string
  organizationId?: string | null
}

/** The fact that what gateways remember of some credentials is no longer true. */
export function forget({ aggregateId, organizationId, ...selector }: Forgotten): Fact<typeof tokenRevoked> {
  return {
    event: tokenRevoked,
    aggregateId,
    organizationId: organizationId ?? null,
    payload: { token_hash: null, grant_id: null, client_id: null, user_id: null, ...selector },
  }
}

export function forgetToken({ id, organizationId, tokenHash }: AccessToken): Fact<typeof tokenRevoked> {
  return forget({ aggregateId: id, organizationId: organizationId ?? null, token_hash: tokenHash })
}
