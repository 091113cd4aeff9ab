/** A service on a separate stream, which tests start, stop and roll back. */
import { randomUUID } from 'node:crypto'
import { startProvisioner } from '@quittance/runtime/bus/provision'
import { createLogger } from '@quittance/runtime/logger'
import { connectNats, type NatsConnection } from '@quittance/runtime/nats-connection'
import { startService, type RunningService, type Service } from '@quittance/runtime/service'
import type { Client } from 'pg'
import { signedEventHeaders, testBusSettings, testIdentity } from '../src/bus.ts'
import { cloneDatabase, connectTo } from '../src/database.ts'
import type { FaultyStream, OtherEvent } from './faulty-stream.ts'
import { entryNoted } from './ledger.ts'

export interface PreparedLedger {
  /** Database of the service. */
  url: string
  database: Client
  client: NatsConnection
  start(): Promise<RunningService>
  close(): Promise<void>
}

/** Prepares a database and a provisioner for a service that is not started yet. */
export async function prepareLedger(
  { url }: Pick<FaultyStream, 'url'>,
  { definition, level }: { definition: Service; level: 'silent' },
): Promise<PreparedLedger> {
  const log = createLogger('test', level)
  const connect = (name: string) => connectNats({ name, url, identity: testIdentity('orders') })
  const [client, connection] = [await connect('test'), await connect('provisioner')]
  const consumers = (definition.consumers ?? []).map(({ subscription }) => subscription)
  const provisioner = startProvisioner({ connection, log, replicas: 1, ackWaitMs: 2_000, checkEveryMs: 500, consumers })
  const clone = await cloneDatabase(definition.name, definition.database as NonNullable<typeof definition.database>)
  const database = await connectTo(clone.url)
  const config = { NATS_URL: url, DATABASE_URL: clone.runtimeUrl, OUTBOX_POLL_MS: 50, ...testBusSettings('orders'), LOG_LEVEL: level }
  return {
    url: clone.url,
    database,
    client,
    start: () => startService(definition, { config }),
    async close() {
      await database.end()
      await clone.drop()
      await provisioner.close()
      await Promise.all([client.close(), connection.close()])
    },
  }
}

/** Creates signed events of an account, as another outbox publishes them. */
export function createEvents(count: number, account: string = randomUUID()): OtherEvent[] {
  return Array.from({ length: count }, (_, position) => {
    const event = { subject: entryNoted.subject, body: Buffer.from(JSON.stringify({ account, position })) }
    const about = { ...event, id: randomUUID(), aggregateId: account, occurredAt: new Date().toISOString() }
    return { ...event, headers: signedEventHeaders('orders', about) }
  })
}
