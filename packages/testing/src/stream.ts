import { headers } from '@quittance/contracts/headers'
import { eventStream } from '@quittance/contracts/streams'
import { connectNats, type NatsConnection } from '@quittance/runtime/nats'
import { eventually } from './eventually.ts'

/** An event as it lies in the stream. */
export interface StreamedEvent {
  /** What consumers and the server know a repetition by. */
  id: string
  subject: string
  aggregateId: string
  payload: unknown
  storedAt: Date
}

/** Messages asked for at once. */
const batchSize = 100

/** What was told, in the order it was told in, from a sequence on. */
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

/** Where the stream lies and how far it is. */
export function streamInfo(natsUrl: string) {
  return withStreams(natsUrl, (streams) => streams.info(eventStream.name))
}

/** How far the stream is, and the durables that have not handled all of it. */
export function progress(natsUrl: string): Promise<{ lastSequence: number; unheard: string[] }> {
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

/** While a cluster has no leader nobody answers for the stream; a look into it waits for one. */
const electionMs = 20_000

async function withStreams<Result>(natsUrl: string, work: Work<Result>): Promise<Result> {
  const connection = await connectNats({ name: 'stream', url: natsUrl })
  try {
    const look = async () => {
      const { streams, consumers } = await connection.jetstreamManager({ checkAPI: false })
      return work(streams, consumers)
    }
    return await eventually(look, { withinMs: electionMs })
  } finally {
    await connection.close()
  }
}
