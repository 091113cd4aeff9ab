import { headers } from '@quittance/contracts/headers'
import { eventStream } from '@quittance/contracts/streams'
import { connectNats } from '@quittance/runtime/nats'

/** An event as it lies in the stream. */
export interface StreamedEvent {
  /** What consumers and the server know a repetition by. */
  id: string
  subject: string
  aggregateId: string
  payload: unknown
}

/** Everything that was told, in the order it was told in. */
export async function readStream(natsUrl: string): Promise<StreamedEvent[]> {
  const connection = await connectNats({ name: 'stream', url: natsUrl })
  try {
    const { streams } = await connection.jetstreamManager({ checkAPI: false })
    const { state } = await streams.info(eventStream.name)
    const events: StreamedEvent[] = []
    for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
      const message = await streams.getMessage(eventStream.name, { seq })
      events.push({
        id: message.header.get('Nats-Msg-Id'),
        subject: message.subject,
        aggregateId: message.header.get(headers.aggregate),
        payload: message.json(),
      })
    }
    return events
  } finally {
    await connection.close()
  }
}
