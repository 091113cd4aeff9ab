import { verifyToken } from '@quittance/contracts/auth'
import { InvalidToken } from '@quittance/contracts/errors'
import type { NatsConnection } from '@quittance/runtime/nats'
import { call } from '@quittance/runtime/request'
import { believed, disbelieved, type Answer } from './verified.ts'

/** Asks auth who is behind a credential; only its hash travels. */
export async function verifyOpaque(connection: NatsConnection, hash: string): Promise<Answer> {
  try {
    const { caller, scopes, expires_at, confirmation, grant_id } = await call(connection, {
      operation: verifyToken,
      request: { hash },
      caller: { kind: 'anonymous' },
    })
    return believed(
      { caller, scopes: new Set(scopes), keyThumbprint: confirmation?.jkt ?? null },
      { grantId: grant_id, expiresAt: expires_at ? Date.parse(expires_at) : Infinity },
    )
  } catch (error) {
    if (error instanceof InvalidToken) return disbelieved
    throw error
  }
}
