import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { ServiceUnavailable } from '@quittance/contracts/errors'
import type { NatsConnection } from '@quittance/runtime/nats-connection'
import { forward, type RawReply } from '@quittance/runtime/rpc-client'

type Forwarded = Parameters<typeof forward>[1]

/** Jitter, so that replicas do not retry at the same moment. */
const maxJitterMs = 25

/**
 * Sends a read to its owner. If there is no reply within half of the timeout, or the owner cannot reach its database, the request is sent
 * once more with the remaining time, possibly to another replica. Without responders there is no retry.
 */
export async function requestWithRetry(connection: NatsConnection, request: Forwarded): Promise<RawReply> {
  const { timeoutMs } = request.envelope
  const deadline = Date.now() + timeoutMs
  const withTimeout = (ms: number): Forwarded => ({ ...request, envelope: { ...request.envelope, timeoutMs: ms } })
  try {
    const reply = await forward(connection, withTimeout(timeoutMs / 2))
    if (reply.status !== 503) return reply
  } catch (error) {
    if (!isTimeout(error)) throw error
  }
  await delay(randomInt(maxJitterMs))
  return forward(connection, withTimeout(deadline - Date.now()))
}

function isTimeout(error: unknown): boolean {
  return error instanceof ServiceUnavailable && (error.cause as { code?: string } | undefined)?.code === 'TIMEOUT'
}
