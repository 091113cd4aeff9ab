import { setTimeout as delay } from 'node:timers/promises'
import { eventStream } from '@quittance/contracts/streams'
import { nanos, NatsError, RetentionPolicy, StorageType, type JetStreamManager, type StreamInfo } from 'nats'
import type { Logger } from '../process/logger.ts'

/** Maximum wait for a cluster that has not elected a leader yet. */
const electionTimeoutMs = 60_000
const electionRetryMs = 500

/**
 * Creates the event stream, or raises the number of its replicas; lowering it is an operator's decision. May run concurrently in several
 * processes. Waits for a cluster that is still starting. Returns the state of the stream before, or null if it was created.
 */
export async function ensureStream(manager: JetStreamManager, replicas = 1): Promise<StreamInfo | null> {
  for (const start = Date.now(); ; await delay(electionRetryMs)) {
    try {
      return await createOrRaise(manager, replicas)
    } catch (error) {
      if (!isElecting(error) || Date.now() - start > electionTimeoutMs) throw error
    }
  }
}

async function createOrRaise({ streams }: JetStreamManager, replicas: number): Promise<StreamInfo | null> {
  try {
    const info = await streams.info(eventStream.name)
    const { config } = info
    if (config.num_replicas < replicas) await streams.update(eventStream.name, { ...config, num_replicas: replicas })
    return info
  } catch (error) {
    if (readErrorCode(error) !== streamNotFound) throw error
    const config = {
      name: eventStream.name,
      subjects: [...eventStream.subjects],
      storage: StorageType.File,
      retention: RetentionPolicy.Limits,
      max_age: nanos(eventStream.maxAgeMs),
      duplicate_window: nanos(eventStream.duplicateWindowMs),
      num_replicas: replicas,
    }
    await streams.add(config).catch(ignore(new Set([streamNameInUse])))
    return null
  }
}

/** Error codes of the server (`server/errors.json` in nats-server). */
const streamNotFound = 10059
const streamNameInUse = 10058
const noSuitablePeers = 10005

/** Without a leader there is no reply for JetStream, which the client library reports as "not enabled". */
function isElecting(error: unknown): boolean {
  if (!(error instanceof NatsError)) return false
  return error.code === '503' || error.code === 'TIMEOUT' || error.api_error?.code === 503 || readErrorCode(error) === noSuitablePeers
}

/** Returns the code of an error of JetStream (`server/errors.json` in nats-server). */
export function readErrorCode(error: unknown): number | undefined {
  return error instanceof NatsError ? error.api_error?.err_code : undefined
}

/** Returns a handler that rethrows all errors of JetStream but these. */
export function ignore(codes: ReadonlySet<number>) {
  return (error: unknown): void => {
    if (!codes.has(readErrorCode(error) ?? 0)) throw error
  }
}

const streamRetryMs = 250

/** Waits for the stream, which the provisioner creates. Warns only after five seconds: services and provisioner start in any order. */
export async function awaitStream(manager: JetStreamManager, log: Logger): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      await manager.streams.info(eventStream.name)
      return
    } catch (error) {
      if (attempt > 0 && attempt % 20 === 0) log.warn({ err: error }, 'stream.unavailable')
      await delay(streamRetryMs)
    }
  }
}
