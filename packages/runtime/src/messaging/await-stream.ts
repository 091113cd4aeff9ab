import { setTimeout as delay } from 'node:timers/promises'
import { eventStream } from '@quittance/contracts/streams'
import type { JetStreamManager } from 'nats'
import type { Logger } from '../process/logger.ts'

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
