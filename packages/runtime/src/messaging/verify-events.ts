import { eventStream, verifyEventsSubject } from '@quittance/contracts/streams'
import { headers, NatsError, type JetStreamManager, type Msg, type NatsConnection, type Subscription } from 'nats'
import { muxRequest } from '../nats/mux-inbox.ts'
import type { Logger } from '../process/logger.ts'

/** An event with the sequence number at which the stream stored it. */
export interface PublishedEvent {
  id: string
  sequence: number
}

/** Maximum number of events per request. */
export const maxVerifiedEvents = 256
/** Concurrent reads of the stream per request: a message may have several megabytes. */
const concurrentReads = 16
const verifyTimeoutMs = 3_000

/**
 * Returns the events that the stream does not contain, in the given order. Sequence numbers alone do not identify events: after the loss of
 * a tail, other events get its numbers. Services cannot read the stream, so the provisioner compares. Throws if it does not reply.
 */
export async function findMissingEvents<E extends PublishedEvent>(connection: NatsConnection, events: readonly E[]): Promise<E[]> {
  const missing: E[] = []
  for (let first = 0; first < events.length; first += maxVerifiedEvents) {
    const chunk = events.slice(first, first + maxVerifiedEvents)
    const body = Buffer.from(JSON.stringify(chunk.map(({ sequence, id }) => [sequence, id])))
    const request = { subject: verifyEventsSubject, body, headers: headers(), timeoutMs: verifyTimeoutMs }
    const reply = await muxRequest(connection, request)
    const failure = reply.headers?.get('Nats-Service-Error')
    if (failure) throw new Error(failure)
    for (const index of reply.json<number[]>()) missing.push(chunk[index] as E)
  }
  return missing
}

interface VerificationServer {
  connection: NatsConnection
  log: Logger
  managing: Promise<JetStreamManager>
  reply(message: Msg, outcome: { body?: string; failure?: string }): void
}

/** Replies to `findMissingEvents` of services. */
export function serveVerification({ connection, log, managing, reply }: VerificationServer): Subscription {
  return connection.subscribe(verifyEventsSubject, {
    queue: 'provisioner',
    callback(error, message) {
      if (error) return
      managing
        .then((manager) => findMissing(manager, parseEvents(message)))
        .then(
          (missing) => reply(message, { body: JSON.stringify(missing) }),
          (reason: unknown) => {
            log.warn({ err: reason }, 'stream.verification-failed')
            reply(message, { failure: 'The stream could not be read' })
          },
        )
    },
  })
}

function parseEvents(message: Msg): [sequence: number, id: string][] {
  const events = message.json<unknown>()
  const isValid = Array.isArray(events) && events.length <= maxVerifiedEvents && events.every(isPublishedEvent)
  if (!isValid) throw new Error('The request is not a list of published events')
  return events as [number, string][]
}

function isPublishedEvent(value: unknown): boolean {
  return Array.isArray(value) && Number.isSafeInteger(value[0]) && value[0] > 0 && typeof value[1] === 'string'
}

async function findMissing(manager: JetStreamManager, events: readonly [number, string][]): Promise<number[]> {
  const { state } = await manager.streams.info(eventStream.name)
  const missing: number[] = []
  const indexes = events.keys()
  const compare = async () => {
    for (const index of indexes) {
      const [sequence, id] = events[index] as [number, string]
      // Below the first sequence number events have expired, after every consumer had seven days.
      if (sequence < state.first_seq && sequence <= state.last_seq) continue
      if (sequence > state.last_seq || (await readMessageId(manager, sequence)) !== id) missing.push(index)
    }
  }
  await Promise.all(Array.from({ length: concurrentReads }, compare))
  return missing.toSorted((a, b) => a - b)
}

const messageNotFound = 10037

async function readMessageId({ streams }: JetStreamManager, seq: number): Promise<string | null> {
  try {
    return (await streams.getMessage(eventStream.name, { seq })).header.get('Nats-Msg-Id')
  } catch (error) {
    if (error instanceof NatsError && error.api_error?.err_code === messageNotFound) return null
    throw error
  }
}
