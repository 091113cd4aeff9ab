import { ServiceUnavailable } from '@quittance/contracts/errors'
import type { NatsConnection } from '@quittance/runtime/nats'
import { isAway } from '@quittance/runtime/nats'
import type { FastifyInstance } from 'fastify'

interface ProbeOptions {
  connection: NatsConnection
  isStopping: () => boolean
}

/** For balancers that ask at the public port: alive, and worth sending requests to. */
export function addProbes(app: FastifyInstance, { connection, isStopping }: ProbeOptions): void {
  const options = { config: { isProbe: true }, exposeHeadRoute: true } as const
  app.get('/livez', options, () => ({ status: 'ok' }))
  app.get('/readyz', options, () => {
    if (isStopping()) throw new ServiceUnavailable('The gateway is stopping.')
    if (isAway(connection)) throw new ServiceUnavailable('The message server is not reachable.')
    return { status: 'ok' }
  })
}
