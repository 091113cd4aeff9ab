import type { PageServiceName } from '@quittance/contracts/services'
import { readConfig, RuntimeConfig } from '../process/config.ts'
import { createLogger, type Logger } from '../process/logger.ts'
import { collectProcessMetrics } from '../process/metrics.ts'
import { closeAll, type Closeable } from '../process/shutdown.ts'
import { startTracing } from '../process/tracing.ts'
import { startHealth, type InternalRoutes, type ReadinessCheck } from './health-server.ts'
import { runProcess } from './run-process.ts'

/** The HTTP server of a page service. */
export interface PageServer extends Closeable {
  /** The pages, on the internal port, for the gateway only. */
  routes: InternalRoutes
  /** Whether the API, of which the pages are a client, can be reached. */
  isReady: ReadinessCheck
}

/**
 * A service that serves pages as a client of the public API. It has neither the message bus nor a database: this file imports nothing of
 * them, and the check of imports verifies that no file of such a service reaches them.
 */
export interface PageService {
  name: PageServiceName
  open(resources: { log: Logger }): Promise<PageServer>
}

/** A started page service. */
export interface RunningPageService {
  healthPort: number
  stop(): Promise<void>
}

/** Starts the page service of this process and stops it on signals. */
export function runPageService(service: PageService): Promise<void> {
  return runProcess(service.name, () => startPageService(service))
}

/** Opens what the service needs, in order, and closes it in reverse, also if a later step fails. */
export async function startPageService(service: PageService, config: Partial<RuntimeConfig> = {}): Promise<RunningPageService> {
  const settings = { ...readConfig(RuntimeConfig), ...config }
  const log = createLogger(service.name, settings.LOG_LEVEL)
  const closers: Closeable[] = []
  try {
    const traces = await startTracing(service.name, settings)
    if (traces) closers.push(traces)
    collectProcessMetrics(service.name)
    const pages = await service.open({ log })
    closers.push(pages)
    const { HEALTH_HOST: host, HEALTH_PORT: port } = settings
    const health = await startHealth({ host, port, checks: { api: pages.isReady }, routes: pages.routes })
    closers.push({ name: 'health', close: () => health.close() })
    log.info({ health_port: health.port, pid: process.pid }, 'service.started')
    return {
      healthPort: health.port,
      async stop() {
        health.markNotReady()
        await closeAll(closers, log)
      },
    }
  } catch (error) {
    await closeAll(closers, log)
    throw error
  }
}
