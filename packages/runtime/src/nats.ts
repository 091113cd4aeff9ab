import { setTimeout as delay } from 'node:timers/promises'
import { connect, Events, nanos, NatsError, RetentionPolicy, StorageType, type JetStreamManager, type NatsConnection } from 'nats'
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
export async function connectNats({ name, url }: NatsOptions): Promise<NatsConnection> {
  const servers = url.split(',').map((server) => new URL(server.includes('://') ? server : `nats://${server}`))
  const { username, password } = servers[0] as URL
  const connection = await connect({
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
  void watch(connection)
  return connection
}

const away = new WeakSet<NatsConnection>()

/** Whether the server is not reachable just now. What is published meanwhile waits until it is, which no caller has the time for. */
export function isAway(connection: NatsConnection): boolean {
  return away.has(connection)
}

async function watch(connection: NatsConnection): Promise<void> {
  for await (const { type } of connection.status()) {
    if (type === Events.Disconnect) away.add(connection)
    else if (type === Events.Reconnect) away.delete(connection)
  }
}

/** Longest wait for a cluster that has not agreed on a leader yet. */
const jetStreamWithinMs = 60_000
const askAgainAfterMs = 500

/**
 * Creates the event stream, or raises the number of its copies; fewer copies than it has are a matter for an operator. Safe to run
 * from every replica at once. Waits for a cluster that is still coming up.
 */
export async function ensureStream(manager: JetStreamManager, replicas = 1): Promise<void> {
  for (const start = Date.now(); ; await delay(askAgainAfterMs)) {
    try {
      return await createOrRaise(manager, replicas)
    } catch (error) {
      if (!isBusyElecting(error) || Date.now() - start > jetStreamWithinMs) throw error
    }
  }
}

async function createOrRaise({ streams }: JetStreamManager, replicas: number): Promise<void> {
  try {
    const { config } = await streams.info(eventStream.name)
    if (config.num_replicas < replicas) await streams.update(eventStream.name, { ...config, num_replicas: replicas })
  } catch (error) {
    if (!(error instanceof NatsError) || error.api_error?.err_code !== streamNotFound) throw error
    const wanted = {
      name: eventStream.name,
      subjects: [...eventStream.subjects],
      storage: StorageType.File,
      retention: RetentionPolicy.Limits,
      max_age: nanos(eventStream.maxAgeMs),
      duplicate_window: nanos(eventStream.duplicateWindowMs),
      num_replicas: replicas,
    }
    await streams.add(wanted).catch(ignoreExisting)
  }
}

/** Error codes of the server (`server/errors.json` in nats-server). */
const streamNotFound = 10059
const streamNameInUse = 10058
const noSuitablePeers = 10005

/** Without a leader nobody answers for JetStream, which the client library calls "not enabled". */
function isBusyElecting(error: unknown): boolean {
  if (!(error instanceof NatsError)) return false
  return error.code === '503' || error.code === 'TIMEOUT' || error.api_error?.code === 503 || error.api_error?.err_code === noSuitablePeers
}

/** Two replicas may create the stream at the same moment; the second is told that it exists. */
function ignoreExisting(error: unknown): void {
  if (error instanceof NatsError && error.api_error?.err_code === streamNameInUse) return
  throw error
}

/** Bytes that a message may have: what the server says, or its usual limit before it has said anything. */
export function maxPayload({ info }: NatsConnection): number {
  return info?.max_payload ?? 1_048_576
}
