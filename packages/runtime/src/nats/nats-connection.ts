import { setTimeout } from 'node:timers/promises'
import { connect, ErrorCode, Events, type ConnectionOptions, NatsError, type NatsConnection } from 'nats'
import type { BusUser } from '@quittance/contracts/nats-users'
import type { BusIdentity } from '../bus/identity.ts'
import { findNatsUrlFault, splitNatsUrls } from '../process/nats-urls.ts'
import type { Logger } from '../process/logger.ts'
import { abandonHangingTransports } from './abandon-transports.ts'
import { describeConnectError, isTrustError } from './connect-errors.ts'

export { headers as natsHeaders, type MsgHdrs, type NatsConnection } from 'nats'

/** Name and URL of a connection. The URL contains user and password. */
export interface NatsOptions {
  name: string
  url: string
  /** Keys that sign messages sent over the connection; without them no request can be sent. */
  identity?: BusIdentity | undefined
  /** Whether the first connect waits for a server that cannot be reached, without limit; true by default. */
  waitsForServer?: boolean
  /** Receives a warning while the first connect waits. */
  log?: Logger
}

/** Time between two attempts to connect. */
const retryMs = 250
/** Time between two warnings about a server that cannot be reached at the start. */
const warningIntervalMs = 10_000

/**
 * Connects and reconnects without limit; a server that hangs is detected within seconds. `tls://` sends nothing, credentials included, to a server
 * without TLS or without a trusted certificate. The inbox prefix contains the user's name, because permissions let every user read only its own
 * replies.
 */
export async function connectNats({ name, url, identity, log, waitsForServer = true }: NatsOptions): Promise<NatsConnection> {
  const fault = findNatsUrlFault(url)
  if (fault) throw new Error(`The URL of NATS ${fault}`)
  const servers = splitNatsUrls(url).map((server) => new URL(server))
  const { username, password, protocol } = servers[0] as URL
  const user = decodeURIComponent(username) || name
  abandonHangingTransports()
  const options = {
    servers: servers.map((server) => server.host),
    name,
    ...(protocol === 'tls:' && { tls: {} }),
    ...(username && { user, pass: decodeURIComponent(password) }),
    inboxPrefix: `_INBOX_${user}`,
    noAsyncTraces: true,
    pingInterval: 2_000,
    maxPingOut: 2,
    timeout: 2_000,
    maxReconnectAttempts: -1,
    reconnectTimeWait: retryMs,
    // The library would close a connection for ever after two rejections in a row, as of a server that runs with other passwords for a moment.
    ignoreAuthErrorAbort: true,
  }
  const connection = await connectFirst(options, waitsForServer ? { log } : null)
  users.set(connection, user)
  void watch(connection)
  if (identity) identities.set(connection, identity)
  return connection
}

/** Connects, and waits for a server if `waiting` is not null. The library's own wait would retry rejected credentials too, which are an error. */
async function connectFirst(
  options: ConnectionOptions & { servers: string[] },
  waiting: { log: Logger | undefined } | null,
): Promise<NatsConnection> {
  const servers = options.servers.join(', ')
  for (let warnedAt = Number.NEGATIVE_INFINITY; ; await setTimeout(retryMs)) {
    try {
      return await connect(options)
    } catch (error) {
      const reason = describeConnectError(error)
      if (waiting && error instanceof NatsError && error.isAuthError()) throw error
      if (!waiting || isTrustError(error)) throw new Error(`NATS (${servers}) cannot be used: ${reason}`, { cause: error })
      if (performance.now() - warnedAt < warningIntervalMs) continue
      warnedAt = performance.now()
      waiting.log?.warn({ servers, reason }, 'nats.unavailable')
    }
  }
}

const users = new WeakMap<NatsConnection, string>()

/** Returns the NATS user of a connection, or its name where the server has no users. Its replies arrive below `_INBOX_‹user›`. */
export function readNatsUser(connection: NatsConnection): BusUser {
  return users.get(connection) as BusUser
}

const identities = new WeakMap<NatsConnection, BusIdentity>()

/** Returns the keys with which a connection was opened. Throws if there are none. */
export function requireBusIdentity(connection: NatsConnection): BusIdentity {
  const identity = identities.get(connection)
  if (!identity) throw new Error('This connection has no keys: BUS_KEY and BUS_PUBLIC_KEYS must be set')
  return identity
}

/**
 * Resolves when the server has received everything sent so far, subscriptions among it. If the connection is interrupted, waits for the next
 * one, with which the client library sends its subscriptions again. Throws if the connection is closed.
 */
export async function flushConnection(connection: NatsConnection): Promise<void> {
  for (;;) {
    try {
      return await connection.flush()
    } catch (error) {
      if (connection.isClosed() || (error as { code?: string }).code !== ErrorCode.Disconnect) throw error
    }
  }
}

const disconnected = new WeakSet<NatsConnection>()

/** Whether the server is currently unreachable. Messages published now would wait for the reconnect, longer than any caller can wait. */
export function isDisconnected(connection: NatsConnection): boolean {
  return disconnected.has(connection)
}

const interruptions = new WeakMap<NatsConnection, number>()

/**
 * Returns how often the connection was lost. A server that is connected again may have an older store: nothing that refers to the stream
 * before may be sent to it.
 */
export function countInterruptions(connection: NatsConnection): number {
  return interruptions.get(connection) ?? 0
}

const interruptionListeners = new WeakMap<NatsConnection, Set<() => void>>()

/** Calls the listener whenever the connection is lost, until the returned function is called. */
export function onInterruption(connection: NatsConnection, listener: () => void): () => void {
  const listeners = interruptionListeners.get(connection) ?? new Set()
  interruptionListeners.set(connection, listeners.add(listener))
  return () => void listeners.delete(listener)
}

async function watch(connection: NatsConnection): Promise<void> {
  for await (const { type } of connection.status()) {
    if (type === Events.Disconnect) {
      disconnected.add(connection)
      interruptions.set(connection, countInterruptions(connection) + 1)
      for (const listener of interruptionListeners.get(connection) ?? []) listener()
    } else if (type === Events.Reconnect) disconnected.delete(connection)
  }
}

/** Returns the maximum size of a message in bytes: the server's limit, or the default limit before the server has sent it. */
export function maxPayloadBytes({ info }: NatsConnection): number {
  return info?.max_payload ?? 1_048_576
}
