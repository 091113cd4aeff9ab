import { readConfig, RuntimeConfig } from '../process/config.ts'
import { createLogger, exitProcess } from '../process/logger.ts'
import { stopOnSignals } from '../process/shutdown.ts'

/** Starts the service of this process and stops it on signals. A failed start and an unhandled rejection end the process with code 1. */
export async function runProcess(name: string, start: () => Promise<{ stop(): Promise<void> }>): Promise<void> {
  let log = createLogger(name, 'info')
  process.on('unhandledRejection', (error) => {
    log.error({ err: error }, 'service.unhandled-rejection')
    void exitProcess(1)
  })
  try {
    log = createLogger(name, readConfig(RuntimeConfig).LOG_LEVEL)
    const stopWaiting = exitWithParent()
    const running = await start()
    stopWaiting()
    stopOnSignals(async (reason) => {
      log.info({ reason }, 'service.stopping')
      await running.stop()
      log.info({}, 'service.stopped')
    }, log)
  } catch (error) {
    log.error({ err: error }, 'service.start-failed')
    await exitProcess(1)
  }
}

/**
 * Ends a process that is starting when its parent disconnects the IPC channel: there is nothing to stop yet, and a start may wait for a server
 * without limit. Returns a function that ends this.
 */
function exitWithParent(): () => void {
  const exit = () => void exitProcess(1)
  if (process.send && !process.connected) exit()
  process.once('disconnect', exit)
  return () => process.off('disconnect', exit)
}
