import type { Logger } from './log.ts'

/** Something that was opened and has to be closed. */
export interface Closer {
  name: string
  close(): Promise<void> | void
}

/** Longest time a clean stop may take before the process is ended. */
const deadlineMs = 20_000

/** Closes in reverse order of opening; one failure does not keep the rest open. */
export async function closeAll(closers: Closer[], log: Logger): Promise<void> {
  for (const closer of closers.toReversed()) {
    try {
      await closer.close()
    } catch (error) {
      log.error({ err: error, part: closer.name }, 'service.part-not-closed')
    }
  }
}

/**
 * Stops once on SIGTERM, SIGINT, or when the parent that spawned the service with an IPC channel is gone, so that a killed
 * supervisor leaves no orphans.
 */
export function stopOnSignals(stop: (reason: string) => Promise<void>, log: Logger): void {
  let stopping = false
  const once = (reason: string) => {
    if (stopping) return
    stopping = true
    setTimeout(() => {
      log.error({ reason }, 'service.stop-overdue')
      process.exit(1)
    }, deadlineMs).unref()
    stop(reason).then(
      () => process.exit(0),
      () => process.exit(1),
    )
  }
  process.once('SIGTERM', () => once('SIGTERM'))
  process.once('SIGINT', () => once('SIGINT'))
  if (process.channel) process.once('disconnect', () => once('parent gone'))
}
