import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { gauge, metrics } from '../process/metrics.ts'
import { drainAcceptQueue } from '../process/shutdown.ts'

/** A readiness check, evaluated on every `/readyz`. */
export type ReadinessCheck = () => Promise<boolean> | boolean

/** A service's own HTTP routes on the internal port; returns false for an unknown path. */
export type InternalRoutes = (request: IncomingMessage, response: ServerResponse) => boolean

interface HealthOptions {
  host: string
  port: number
  checks: Record<string, ReadinessCheck>
  routes?: InternalRoutes | undefined
}

/** The internal HTTP server: `/livez`, `/readyz`, `/metrics`, and routes of the service. */
export interface HealthServer {
  port: number
  /** Makes `/readyz` return 503, so that no new work arrives while the remaining work drains. */
  markNotReady(): void
  close(): Promise<void>
}

/** Starts the internal HTTP server; port 0 chooses a free one. */
export async function startHealth({ host, port, checks, routes }: HealthOptions): Promise<HealthServer> {
  let isStopping = false
  gauge('readiness_check_success', 'Whether a check of `/readyz` succeeds: 1 or 0, by check.', {
    labels: ['check'],
    async collect(each) {
      const failed = await findFailedChecks(checks)
      for (const check of Object.keys(checks)) each.set({ check }, failed.includes(check) ? 0 : 1)
    },
  })
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url?.split('?')[0]
    if (path === '/livez') return send(response, 200, { status: 'ok' })
    if (path === '/readyz') {
      const failed = isStopping ? ['stopping'] : await findFailedChecks(checks)
      return send(response, failed.length ? 503 : 200, { status: failed.length ? 'not ready' : 'ok', failed })
    }
    if (path === '/metrics') {
      response.setHeader('content-type', metrics.contentType)
      return response.end(await metrics.metrics())
    }
    if (!routes?.(request, response)) send(response, 404, { error: 'ResourceNotFound', detail: 'Not found' })
  }
  const server = createServer((request, response) => {
    respond(request, response).catch(
      () => response.headersSent || send(response, 500, { error: 'InternalServerError', detail: 'Internal error' }),
    )
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve))
  return {
    port: (server.address() as AddressInfo).port,
    markNotReady: () => void (isStopping = true),
    async close() {
      await drainAcceptQueue(server)
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeIdleConnections()
      })
    },
  }
}

/** Timeout of a check. A dependency that hangs does not reply at all. */
const checkTimeoutMs = 2_000

async function findFailedChecks(checks: Record<string, ReadinessCheck>): Promise<string[]> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      const overdue = delay(checkTimeoutMs, false, { ref: false })
      return [name, await Promise.race([Promise.resolve(check()).catch(() => false), overdue])] as const
    }),
  )
  return results.filter(([, ok]) => !ok).map(([name]) => name)
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}
