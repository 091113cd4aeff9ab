import { randomUUID } from 'node:crypto'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { InternalServerError } from '@quittance/contracts/errors'
import type { Event, PayloadOf } from '@quittance/contracts/event'
import { headers } from '@quittance/contracts/headers'
import { eventStream } from '@quittance/contracts/streams'
import type { RuntimeConfig } from '@quittance/runtime/config'
import { ensureStream } from '@quittance/runtime/internal/messaging/event-stream'
import { startProvisioner } from '@quittance/runtime/bus/provision'
import { createLogger } from '@quittance/runtime/logger'
import { connectNats, type NatsConnection } from '@quittance/runtime/nats-connection'
import { startService, type RunningService, type Service } from '@quittance/runtime/service'
import { Client, Pool, type QueryResultRow } from 'pg'
import { inject } from 'vitest'
import { signedEventHeaders, testBusSettings, testIdentity } from './bus.ts'
import { createCall, type CallOperation } from './call-operation.ts'
import { cloneDatabase } from './database.ts'
import { recordSeenError } from './declared-errors.ts'
import { eventually } from './eventually.ts'
import { maxNatsAccounts } from './test-servers.ts'

/** An event as published by the service. */
export interface PublishedEvent {
  id: string
  subject: string
  payload: unknown
  organizationId: string | null
}

/** Metadata of an emitted event; ids are generated if omitted. */
export interface EventMetadata {
  id?: string
  organizationId?: string | null
  aggregateId?: string
  /** Time of the event; the same for a repeated event. */
  occurredAt?: Date
}

/** One real service with a separate database and message stream. The other services are absent; the test acts for them. */
export interface TestService extends AsyncDisposable {
  connection: NatsConnection
  /** Settings of the service; a second replica uses the same. */
  config: Partial<RuntimeConfig>
  /** URL of the superuser; the service itself runs with a role that cannot change the schema (`config.DATABASE_URL`). */
  databaseUrl: string | null
  healthPort(): number
  /** Every event published since the start, in order. */
  publishedEvents: PublishedEvent[]
  /** Calls an operation as the gateway does; a reply that does not match its contract fails the test. */
  call: CallOperation
  /** Publishes an event as its owner would, and returns its id. */
  emit<E extends Event>(event: E, payload: PayloadOf<E>, about?: EventMetadata): Promise<string>
  /** Returns the next event of a type that was not returned before. */
  nextEvent<E extends Event>(event: E): Promise<PayloadOf<E>>
  /** Queries the database, for state that is not visible from outside. */
  rows<Row extends QueryResultRow>(sql: string, values?: unknown[]): Promise<Row[]>
  /** Runs a statement in a separate transaction that stays open until the returned function is called; for tests of locks. */
  holdTransaction(sql: string): Promise<() => Promise<void>>
  /** Stops the service and starts it again on the same data. */
  restart(): Promise<void>
  /** Stops the service; replicas that the test starts handle its requests from then on. */
  stop(): Promise<void>
  /** Allows internal errors (500) in this test; otherwise any of them fails it. */
  allowInternalErrors(): void
}

/** Recovery is faster in tests; the mechanisms are the same. */
const testSettings = {
  JOB_LEASE_MS: 2_000,
  OUTBOX_POLL_MS: 100,
  LOG_LEVEL: (process.env['LOG_LEVEL'] ?? 'silent') as 'silent',
}

export async function startTestService(service: Service): Promise<TestService> {
  const account = `w${Number(process.env['VITEST_POOL_ID'] ?? 0) % maxNatsAccounts}`
  const natsUrl = `nats://${account}:${account}@${inject('natsHost')}`
  const connection = await connectNats({ name: 'test', url: natsUrl, identity: testIdentity('gateway') })
  let operator: Promise<NatsConnection> | undefined
  const asOperator = () => (operator ??= connectNats({ name: 'test', url: natsUrl, identity: testIdentity('operator') }))
  const publishedEvents = await listen(connection)
  const provisioner = provisionConsumers(connection, service)
  const database = service.database ? await cloneDatabase(service.name, service.database) : null
  const internalErrors: string[] = []
  let areInternalErrorsAllowed = false
  const calledByOthers = new Set<string>()
  const ownSettings = { NATS_URL: natsUrl, ...(database && { DATABASE_URL: database.runtimeUrl }) }
  const config = { ...testSettings, ...testBusSettings(service.name), ...ownSettings }
  const start = () =>
    startService(service, {
      config,
      onError(operation, error) {
        recordSeenError(operation, { error, isOtherCaller: calledByOthers.has(operation.subject) })
        if (error instanceof InternalServerError) internalErrors.push(operation.subject)
      },
    })
  let running: RunningService = await start()
  const reader = openReader(database?.url)
  let stopped: Promise<void> | undefined
  return {
    connection,
    config,
    databaseUrl: database?.url ?? null,
    healthPort: () => running.healthPort,
    publishedEvents,
    call: createCall({ connection, asOperator, calledByOthers }),
    emit: (event, payload, about = {}) => emit(connection, { event, payload, about }),
    nextEvent: createEventReader(publishedEvents),
    rows: reader.rows,
    holdTransaction: (sql) => openTransaction(database?.url, sql),
    async restart() {
      await running.stop()
      running = await start()
    },
    stop: () => (stopped ??= running.stop()),
    allowInternalErrors: () => void (areInternalErrorsAllowed = true),
    async [Symbol.asyncDispose]() {
      await (stopped ?? running.stop())
      await provisioner.close()
      await (await operator)?.close()
      await connection.close()
      await reader.close()
      await database?.drop()
      if (internalErrors.length > 0 && !areInternalErrorsAllowed)
        throw new Error(`Returned InternalServerError: ${internalErrors.join(', ')}`)
    },
  }
}

/** Creates an empty stream and records every event published to it. */
async function listen(connection: NatsConnection): Promise<PublishedEvent[]> {
  const manager = await connection.jetstreamManager()
  await manager.streams.delete(eventStream.name).catch(() => {})
  await ensureStream(manager)
  const received: PublishedEvent[] = []
  connection.subscribe('event.>', {
    callback: (error, message) => {
      const id = message.headers?.get('Nats-Msg-Id')
      if (error || !id || received.some((event) => event.id === id)) return
      received.push({
        id,
        subject: message.subject,
        payload: message.json(),
        organizationId: message.headers?.get(headers.organization) || null,
      })
    },
  })
  await connection.flush()
  return received
}

/** Creates the durable consumers of the service, and again after they were deleted. */
function provisionConsumers(connection: NatsConnection, { consumers = [] }: Service) {
  return startProvisioner({
    connection,
    log: createLogger('provisioner', testSettings.LOG_LEVEL),
    replicas: 1,
    ackWaitMs: 2_000,
    checkEveryMs: 250,
    consumers: consumers.map(({ subscription }) => subscription),
  })
}

/** Returns the function that returns the events of a subject in order, each once; it waits for the next one. */
function createEventReader(published: readonly PublishedEvent[]): TestService['nextEvent'] {
  const returnedUntil = new Map<string, number>()
  return (event) =>
    eventually(() => {
      const index = published.findIndex(
        ({ subject }, position) => position >= (returnedUntil.get(event.subject) ?? 0) && subject === event.subject,
      )
      if (index < 0) throw new Error(`${event.subject} was not published; published: ${published.map(({ subject }) => subject).join(', ')}`)
      returnedUntil.set(event.subject, index + 1)
      return event.payload.parse((published[index] as PublishedEvent).payload) as PayloadOf<typeof event>
    })
}

async function emit(
  connection: NatsConnection,
  { event, payload, about }: { event: Event; payload: unknown; about: EventMetadata },
): Promise<string> {
  const id = about.id ?? randomUUID()
  const body = Buffer.from(JSON.stringify(payload))
  const headers = signedEventHeaders(event.publisher, {
    subject: event.subject,
    id,
    aggregateId: about.aggregateId ?? randomUUID(),
    organizationId: about.organizationId ?? null,
    occurredAt: (about.occurredAt ?? new Date()).toISOString(),
    body,
  })
  await connection.jetstream().publish(event.subject, body, { msgID: id, headers })
  return id
}

async function connectTo(url: string | undefined): Promise<Client> {
  if (!url) throw new Error('This service has no database')
  const client = new Client({ connectionString: url })
  await client.connect()
  return client
}

async function openTransaction(url: string | undefined, sql: string): Promise<() => Promise<void>> {
  const client = await connectTo(url)
  await client.query(`begin; ${sql}`)
  return () => client.end()
}

/** Keeps its connections: tests that wait for a state read it many times. */
function openReader(connectionString: string | undefined) {
  const pool = connectionString ? new Pool({ connectionString, max: 4 }) : null
  // Some tests end every connection.
  pool?.on('error', () => {})
  return {
    async rows<Row extends QueryResultRow>(sql: string, values: unknown[] = []): Promise<Row[]> {
      if (!pool) throw new Error('This service has no database')
      return (await pool.query<Row>(sql, values)).rows
    },
    close: () => pool?.end(),
  }
}

const trustedCertificates = new Set<string>()

/**
 * Trusts a certificate in PEM in this worker, and returns all trusted certificates. Must be called before the first TLS connection of a
 * service, which reads them then and keeps them for later files of the worker.
 */
export function trustCertificate(certificate: string): readonly string[] {
  if (!trustedCertificates.has(certificate)) setDefaultCACertificates([...getCACertificates('default'), certificate])
  trustedCertificates.add(certificate)
  return getCACertificates('default')
}
