import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { ServiceUnavailable } from '@quittance/contracts/errors'
import type { NatsConnection } from '@quittance/runtime/nats'
import { forward, type RawAnswer } from '@quittance/runtime/request'

type Forwarded = Parameters<typeof forward>[1]

/** Replicas that ask again at once would all do so at the same moment. */
const mostJitterMs = 25

/**
 * Asks the owner of a read. When no answer came within half of the time, or the owner could not reach its database, another replica may
 * do better: it is asked again, once, with the time that is left. Where nobody listens, nobody is asked again.
 */
export async function askForRead(connection: NatsConnection, request: Forwarded): Promise<RawAnswer> {
  const { timeoutMs } = request.envelope
  const until = Date.now() + timeoutMs
  const within = (ms: number): Forwarded => ({ ...request, envelope: { ...request.envelope, timeoutMs: ms } })
  try {
    const answer = await forward(connection, within(timeoutMs / 2))
    if (answer.status !== 503) return answer
  } catch (error) {
    if (!isLost(error)) throw error
  }
  await delay(randomInt(mostJitterMs))
  return forward(connection, within(until - Date.now()))
}

function isLost(error: unknown): boolean {
  return error instanceof ServiceUnavailable && (error.cause as { code?: string } | undefined)?.code === 'TIMEOUT'
}
