import { randomUUID } from 'node:crypto'
import type { EndpointSink } from '@quittance/testing/endpoint-sink'
import { eventually } from '@quittance/testing/eventually'
import { expect } from 'vitest'
import { connectExternalActors, startEngines, startProcess, type Engines, type ExternalActors, type ServiceProcess } from './processes.ts'

/** Engines of a test file, and what its tests start and read. Stopped with it. */
export interface FaultRun extends AsyncDisposable {
  engines: Engines
  outside: ExternalActors
  startWebhooks(env?: Record<string, string>): Promise<ServiceProcess>
  /** Starts a process that publishes the events which are committed in the database of orders. */
  startPublisher(): Promise<ServiceProcess>
  /** Creates an endpoint of a new organization. */
  subscribe(sink: EndpointSink): Promise<{ organizationId: string; id: string; secret: string }>
  /** Returns the deliveries of events. */
  deliveries(ids: readonly string[]): Promise<{ event_id: string; status: string; attempts: number }[]>
  /** Waits until each event has one delivery, which succeeded. */
  untilSucceeded(ids: readonly string[]): Promise<void>
  /** Publishes an event, and kills the service while it waits to write to the table; returns the id of the event. */
  killBehindLock(webhooks: ServiceProcess, at: { table: string; organizationId: string }): Promise<string>
}

/** Starts separate engines, because the tests stop and kill them. */
export async function startFaultRun(): Promise<FaultRun> {
  const engines = await startEngines()
  const outside = await connectExternalActors(engines)
  const deliveries = (ids: readonly string[]) =>
    engines.rows<{ event_id: string; status: string; attempts: number }>(
      'webhooks',
      'select event_id, status, attempts from webhook_deliveries where event_id = any($1)',
      [ids],
    )
  return {
    engines,
    outside,
    deliveries,
    startWebhooks: (env) => startProcess(engines, { database: 'webhooks', ...(env && { env }) }),
    startPublisher: () => startProcess(engines, { database: 'orders' }),
    async subscribe(sink) {
      const organizationId = randomUUID()
      const { id, secret } = await eventually(() => outside.endpoint(sink.url, organizationId))
      return { organizationId, id, secret }
    },
    untilSucceeded: (ids) =>
      eventually(async () => {
        const statuses = (await deliveries(ids)).map(({ status }) => status)
        expect(statuses).toEqual(ids.map(() => 'succeeded'))
      }),
    async killBehindLock(webhooks, { table, organizationId }) {
      const release = await engines.lock('webhooks', `lock table ${table} in share mode`)
      const id = await outside.publish(organizationId)
      await engines.untilBlocked('webhooks', table)
      await webhooks.kill()
      await engines.endWaiting('webhooks')
      await release()
      return id
    },
    async [Symbol.asyncDispose]() {
      await outside[Symbol.asyncDispose]()
      await engines[Symbol.asyncDispose]()
    },
  }
}
