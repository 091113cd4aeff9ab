import { exitProcess, type Logger } from './logger.ts'
import type { Server } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** A resource that must be closed. */
export interface Closeable {
  name: string
  close(): Promise<void> | void
}

/** Maximum duration of a graceful stop before the process exits. */
const deadlineMs = 20_000

/** Closes in reverse order of opening; one failure does not prevent closing the others. */
export async function closeAll(closers: Closeable[], log: Logger): Promise<void> {
  for (const closer of closers.toReversed()) {
    try {
      await closer.close()
    } catch (error) {
      log.error({ err: error, part: closer.name }, 'service.component-close-failed')
    }
  }
}

/** Stops once on SIGTERM, SIGINT, or when the parent process disconnects its IPC channel, so that a killed supervisor leaves no orphans. */
export function stopOnSignals(stop: (reason: string) => Promise<void>, log: Logger): void {
  let stopping = false
  const once = (reason: string) => {
    if (stopping) return
    stopping = true
    setTimeout(() => {
      log.error({ reason }, 'service.stop-timeout')
      void exitProcess(1)
    }, deadlineMs).unref()
    stop(reason).then(
      () => exitProcess(0),
      () => exitProcess(1),
    )
  }
  process.once('SIGTERM', () => once('SIGTERM'))
  process.once('SIGINT', () => once('SIGINT'))
  if (process.channel) process.once('disconnect', () => once('parent disconnected'))
}

/** Maximum time for which new connections may delay the close of a server. */
const maxWaitMs = 2_000

/**
 * Accepts connections that are already established, for a server that is about to close. A connection exists, and its request may have
 * arrived, before the process has accepted it from the kernel's queue. Node accepts one per event-loop turn (libuv #3696), and closing the
 * server resets the remaining ones. Returns after a turn without a new connection: a `close` called immediately afterwards resets no
 * connection.
 */
export async function drainAcceptQueue(server: Server): Promise<void> {
  let accepted = 0
  const count = () => void (accepted += 1)
  server.on('connection', count)
  const deadline = performance.now() + maxWaitMs
  // The current turn may already have checked the queue.
  await nextTurn()
  for (let before = -1; accepted > before && performance.now() < deadline;) {
    before = accepted
    await nextTurn()
  }
  server.off('connection', count)
}
