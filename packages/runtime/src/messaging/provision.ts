import { setTimeout as delay } from 'node:timers/promises'
import { resetSubject, durableConsumers, type DurableConsumer } from '@quittance/contracts/streams'
import { headers, type JetStreamManager, type Msg, type NatsConnection } from 'nats'
import type { Logger } from '../process/logger.ts'
import type { Closeable } from '../process/shutdown.ts'
import { ensureDurable, resetDurable } from './durable-definition.ts'
import { ensureStream } from './event-stream.ts'
import { serveVerification } from './verify-events.ts'

/** Shorter than the detection of a server that hangs. */
const requestTimeoutMs = 3_000
/** The state of a consumer is expensive for the server, so all are read rarely while their number is unchanged. */
const readConsumersEveryMs = 30_000

export interface ProvisionOptions {
  connection: NatsConnection
  log: Logger
  /** Number of NATS servers that store a copy of each event. */
  replicas: number
  /** Milliseconds after which the server redelivers an unacknowledged event. */
  ackWaitMs: number
  /** Milliseconds between two checks that the stream and its consumers exist. */
  checkEveryMs: number
  /** Consumers to create; default: all of `durableConsumers`. */
  consumers?: readonly DurableConsumer[]
}

export interface Provisioner extends Closeable {
  /** Resolves once the stream and all consumers exist. */
  ready: Promise<void>
  /** Whether they existed at the last check. */
  isReady(): boolean
}

/**
 * Creates the event stream and its consumers, checks them at intervals, resets a consumer when its owner requests it, and compares published
 * events with the stream. It is the only
 * process with these rights: a service that could create a consumer could make the server publish events to any subject. Several instances
 * may run.
 */
export function startProvisioner(options: ProvisionOptions): Provisioner {
  const { connection, log, checkEveryMs } = options
  const consumers = options.consumers ?? Object.values(durableConsumers)
  const stopping = new AbortController()
  const managing = connection.jetstreamManager({ timeout: requestTimeoutMs, checkAPI: false })
  const ensureAll = createCheck({ ...options, consumers })
  let isProvisioned = false
  const ready = Promise.withResolvers<void>()
  const resets = subscribeToResets({ ...options, consumers, managing })
  const verifications = serveVerification({ ...options, managing, reply })
  const loop = (async () => {
    while (!stopping.signal.aborted) {
      isProvisioned = await ensureAll(await managing).then(
        () => true,
        (error: unknown) => {
          log.warn({ err: error }, 'stream.not-provisioned')
          return false
        },
      )
      if (isProvisioned) ready.resolve()
      await delay(checkEveryMs, null, { signal: stopping.signal }).catch(() => {})
    }
  })()
  return {
    name: 'provisioner',
    ready: ready.promise,
    isReady: () => isProvisioned,
    async close() {
      stopping.abort()
      resets.unsubscribe()
      verifications.unsubscribe()
      await loop
    },
  }
}

type Provisioned = ProvisionOptions & { consumers: readonly DurableConsumer[] }

/** Returns the check that the stream and all consumers exist, which creates what is missing. */
function createCheck({ replicas, ackWaitMs, consumers }: Provisioned): (manager: JetStreamManager) => Promise<void> {
  let last = { state: '', at: -Infinity }
  return async (manager) => {
    const stream = await ensureStream(manager, replicas)
    const state = stream ? `${stream.created} ${stream.state.consumer_count}` : ''
    const isUnchanged = state !== '' && state === last.state && performance.now() - last.at < readConsumersEveryMs
    if (isUnchanged) return
    for (const subscription of consumers) await ensureDurable(manager, { subscription, ackWaitMs })
    last = { state, at: performance.now() }
  }
}

/** nats-server lets only the owner of a durable publish to its reset subject; a reset loses nothing. */
function subscribeToResets({ connection, log, ackWaitMs, consumers, managing }: Provisioned & { managing: Promise<JetStreamManager> }) {
  return connection.subscribe(resetSubject('*'), {
    queue: 'provisioner',
    callback(error, message) {
      const subscription = consumers.find(({ durable }) => message.subject === resetSubject(durable))
      if (error || !subscription) return
      managing
        .then((manager) => resetDurable(manager, { subscription, ackWaitMs, ...parseSince(message) }))
        .then(
          () => reply(message),
          (reason: unknown) => {
            log.warn({ err: reason, consumer: subscription.durable }, 'consumer.reset-failed')
            reply(message, { failure: 'The consumer was not reset' })
          },
        )
    },
  })
}

/** The body of a request is empty, or the time at which the consumer starts again. */
function parseSince(message: Msg): { since?: Date } {
  if (message.data.length === 0) return {}
  const since = new Date(message.string())
  if (Number.isNaN(since.getTime())) throw new Error('The request has no readable time')
  return { since }
}

/** Within an account the requester chooses the reply subject, and this process may publish to subjects that the requester may not. */
function reply(message: Msg, { body = '', failure }: { body?: string; failure?: string } = {}): void {
  if (!/^(_R_|_INBOX_\w+\.provisioner)\./.test(message.reply ?? '')) return
  const messageHeaders = headers()
  if (failure) messageHeaders.set('Nats-Service-Error', failure)
  message.respond(Buffer.from(body), { headers: messageHeaders })
}
