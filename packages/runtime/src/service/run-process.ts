import { readConfig, RuntimeConfig } from '../process/config.ts'
import { createLogger } from '../process/logger.ts'
import { stopOnSignals } from '../process/shutdown.ts'

/** Starts the service of this process and stops it on signals. A failed start and an unhandled rejection end the process with code 1. */
export async function runProcess(name: string, start: () => Promise<{ stop(): Promise<void> }>): Promise<void> {
  const log = createLogger(name, readConfig(RuntimeConfig).LOG_LEVEL)
  process.on('unhandledRejection', (error) => {
    log.error({ err: error }, 'service.unhandled-rejection')
    process.exit(1)
  })
  try {
    const running = await start()
    stopOnSignals(async (reason) => {
      log.info({ reason }, 'service.stopping')
      await running.stop()
      log.info({}, 'service.stopped')
    }, log)
  } catch (error) {
    log.error({ err: error }, 'service.start-failed')
    process.exit(1)
  }
}
