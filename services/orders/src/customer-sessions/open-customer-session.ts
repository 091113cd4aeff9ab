import { hashToken, mintToken } from '@quittance/runtime/credential'
import type { Transaction } from '@quittance/runtime/handler'
import { CustomerSession } from './customer-session.ts'

/** One hour; there is no renewal. */
const customerSessionMs = 3_600_000

/** A new session, and its token: only the hash is kept. */
export function openCustomerSession(
  { em, now }: Transaction,
  { customerId, organizationId }: { customerId: string; organizationId: string },
): { session: CustomerSession; token: string } {
  const token = mintToken('qt_cst_')
  const expiresAt = new Date(now.getTime() + customerSessionMs)
  return { session: em.create(CustomerSession, { organizationId, customerId, tokenHash: hashToken(token), expiresAt }), token }
}
