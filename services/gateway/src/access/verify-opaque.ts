import { verifyToken } from '@quittance/contracts/auth'
import { InvalidToken } from '@quittance/contracts/errors'
import type { NatsConnection } from '@quittance/runtime/nats-connection'
import { call } from '@quittance/runtime/rpc-client'
import { acceptCredential, rejectedCredential, type VerificationResult } from './verification-result.ts'
import { verifyCustomerSession as verifyCustomerSessionContract } from '@quittance/contracts/customer-sessions'

/** Verifies an opaque credential with auth; only its hash is sent. */
export async function verifyOpaque(connection: NatsConnection, hash: string): Promise<VerificationResult> {
  try {
    const { caller, scopes, expires_at, confirmation, grant_id } = await call(connection, {
      operation: verifyToken,
      request: { hash },
      caller: { kind: 'anonymous' },
    })
    return acceptCredential(
      { caller, scopes: new Set(scopes), keyThumbprint: confirmation?.jkt ?? null },
      { verifiedBy: 'auth', grantId: grant_id, expiresAt: expires_at ? Date.parse(expires_at) : Infinity },
    )
  } catch (error) {
    if (error instanceof InvalidToken) return rejectedCredential
    throw error
  }
}

/** Verifies a customer session with orders by its hash. The session grants access to the customer portal, which requires no scope. */
export async function verifyCustomerSession(connection: NatsConnection, hash: string): Promise<VerificationResult> {
  try {
    const { caller, expires_at } = await call(connection, {
      operation: verifyCustomerSessionContract,
      request: { hash },
      caller: { kind: 'anonymous' },
    })
    return acceptCredential(
      { caller, scopes: new Set(), keyThumbprint: null },
      { verifiedBy: 'orders', grantId: null, expiresAt: Date.parse(expires_at) },
    )
  } catch (error) {
    if (error instanceof InvalidToken) return rejectedCredential
    throw error
  }
}
