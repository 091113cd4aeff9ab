import { headers } from '@quittance/contracts/headers'
import { eventStream } from '@quittance/contracts/streams'
import { connectNats, type NatsConnection } from '@quittance/runtime/nats-connection'
import { eventually } from './eventually.ts'

/** An event as stored in the stream. */
export interface StreamedEvent {
  /** Message id, by which consumers and the server recognize duplicates. */
  id: string
  subject: string
  aggregateId: string
  payload: unknown
  storedAt: Date
}

/** Number of messages requested concurrently. */
const batchSize = 100

/** Reads published events in order, from a sequence number. */
export function readStream(natsUrl: string, from = 1): Promise<StreamedEvent[]> {
  return withStreams(natsUrl, async (streams) => {
    const { state } = await streams.info(eventStream.name)
    const read = async (seq: number): Promise<StreamedEvent> => {
      const message = await streams.getMessage(eventStream.name, { seq })
      return {
        id: message.header.get('Nats-Msg-Id'),
        subject: message.subject,
        aggregateId: message.header.get(headers.aggregate),
        payload: message.json(),
        storedAt: message.time,
      }
    }
    const events: StreamedEvent[] = []
    for (let seq = Math.max(state.first_seq, from); seq <= state.last_seq; seq += batchSize) {
      const batch = Array.from({ length: Math.min(batchSize, state.last_seq - seq + 1) }, (_, index) => seq + index)
      events.push(...(await Promise.all(batch.map(read))))
    }
    return events
  })
}

/** Returns the location and the state of the stream. */
export function streamInfo(natsUrl: string) {
  return withStreams(natsUrl, (streams) => streams.info(eventStream.name))
}

/** Returns the last sequence number of the stream, and the durables that have not handled all of it. */
export function readStreamProgress(natsUrl: string): Promise<{ lastSequence: number; unheard: string[] }> {
  return withStreams(natsUrl, async (streams, consumers) => {
    const { state } = await streams.info(eventStream.name)
    const unheard: string[] = []
    for await (const { name, num_pending, num_ack_pending } of consumers.list(eventStream.name)) {
      if (num_pending + num_ack_pending > 0) unheard.push(name)
    }
    return { lastSequence: state.last_seq, unheard }
  })
}

type Manager = Awaited<ReturnType<NatsConnection['jetstreamManager']>>
type Work<Result> = (streams: Manager['streams'], consumers: Manager['consumers']) => Promise<Result>

/** Maximum wait for the election of a cluster's leader; until then the stream is unavailable. */
const electionTimeoutMs = 20_000

async function withStreams<Result>(natsUrl: string, work: Work<Result>): Promise<Result> {
  const connection = await connectNats({ name: 'stream', url: natsUrl })
  try {
    const read = async () => {
      const { streams, consumers } = await connection.jetstreamManager({ checkAPI: false })
      return work(streams, consumers)
    }
    return await eventually(read, { withinMs: electionTimeoutMs })
  } finally {
    await connection.close()
  }
}
