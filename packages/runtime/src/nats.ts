import { connect, nanos, NatsError, RetentionPolicy, StorageType, type JetStreamManager, type NatsConnection } from 'nats'
import { eventStream } from '@quittance/contracts/streams'

export { headers as natsHeaders, type NatsConnection } from 'nats'

/** Who connects where. `user` and `password` stand in the URL. */
export interface NatsOptions {
  name: string
  url: string
}

/**
 * Connects and keeps reconnecting for ever; a server that is frozen rather than gone is noticed within seconds. The inbox
 * carries the user's name, because permissions let every user read its own replies only.
 */
export function connectNats({ name, url }: NatsOptions): Promise<NatsConnection> {
  const servers = url.split(',').map((server) => new URL(server.includes('://') ? server : `nats://${server}`))
  const { username, password } = servers[0] as URL
  return connect({
    servers: servers.map((server) => server.host),
    name,
    ...(username && { user: decodeURIComponent(username), pass: decodeURIComponent(password) }),
    inboxPrefix: `_INBOX_${decodeURIComponent(username) || name}`,
    noAsyncTraces: true,
    pingInterval: 2_000,
    maxPingOut: 2,
    timeout: 2_000,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    waitOnFirstConnect: true,
  })
}

/** Creates the event stream, or brings it to what the contracts say. Safe to run from every replica at once. */
export async function ensureStream(manager: JetStreamManager): Promise<void> {
  const wanted = {
    subjects: [...eventStream.subjects],
    max_age: nanos(eventStream.maxAgeMs),
    duplicate_window: nanos(eventStream.duplicateWindowMs),
  }
  try {
    await manager.streams.info(eventStream.name)
  } catch (error) {
    if (!(error instanceof NatsError) || error.api_error?.err_code !== 10059) throw error
    await manager.streams
      .add({ name: eventStream.name, storage: StorageType.File, retention: RetentionPolicy.Limits, ...wanted })
      .catch(ignoreExisting)
  }
}

/** Two replicas may create the stream at the same moment; the second is told that it exists. */
function ignoreExisting(error: unknown): void {
  if (error instanceof NatsError && error.api_error?.err_code === 10058) return
  throw error
}
