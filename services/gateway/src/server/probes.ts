import { ServiceUnavailable } from '@quittance/contracts/errors'
import { type NatsConnection, isDisconnected } from '@quittance/runtime/nats-connection'
import type { FastifyInstance } from 'fastify'

interface ProbeOptions {
  connection: NatsConnection
  isStopping: () => boolean
}

/** Adds liveness and readiness probes for load balancers at the public port. */
export function addProbes(app: FastifyInstance, { connection, isStopping }: ProbeOptions): void {
  const options = { config: { isProbe: true }, exposeHeadRoute: true } as const
  app.get('/livez', options, () => ({ status: 'ok' }))
  app.get('/readyz', options, () => {
    if (isStopping()) throw new ServiceUnavailable('The gateway is stopping.')
    if (isDisconnected(connection)) throw new ServiceUnavailable('The message broker is unavailable.')
    return { status: 'ok' }
  })
}
