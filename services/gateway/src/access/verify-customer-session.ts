import { verifyCustomerSession as contract } from '@quittance/contracts/customer-sessions'
import { InvalidToken } from '@quittance/contracts/errors'
import type { NatsConnection } from '@quittance/runtime/nats'
import { call } from '@quittance/runtime/request'
import { believed, disbelieved, type Answer } from './verified.ts'

/** Asks orders which customer a session is of; only its hash travels. It opens the customer portal, which asks for no scope. */
export async function verifyCustomerSession(connection: NatsConnection, hash: string): Promise<Answer> {
  try {
    const { caller, expires_at } = await call(connection, { operation: contract, request: { hash }, caller: { kind: 'anonymous' } })
    return believed({ caller, scopes: new Set(), keyThumbprint: null }, { grantId: null, expiresAt: Date.parse(expires_at) })
  } catch (error) {
    if (error instanceof InvalidToken) return disbelieved
    throw error
  }
}
