import type { ApiError } from '@quittance/contracts/errors'
import type { Operation } from '@quittance/contracts/operation'
import type { ServiceName } from '@quittance/contracts/services'
import type { NatsConnection, ServiceMsg } from 'nats'
import { readConfig, RuntimeConfig } from './config.ts'
import { startConsumer } from './consume.ts'
import { deadLetterHandlers, watchDeadLetters } from './dead-letters.ts'
import { openDatabase, type Database, type DatabaseDefinition } from './database.ts'
import type { Consumer, Handler, Job } from './handler.ts'
import { collectProcessMetrics, startHealth, type InternalRoutes, type ReadinessCheck } from './health.ts'
import { startJob } from './jobs.ts'
import { createLogger, type Logger } from './log.ts'
import { connectNats, ensureStream, isAway } from './nats.ts'
import { startRelay } from './outbox-relay.ts'
import { responder } from './respond.ts'
import { closeAll, stopOnSignals, type Closer } from './shutdown.ts'
import { startTracing } from './trace.ts'
import { listenForWakeUps } from './wake.ts'

/** What a part of a service that the chassis does not know is given. */
export interface Surroundings {
  connection: NatsConnection
  database: Database | null
  log: Logger
}

/** Something of a service's own that is opened and closed: an HTTP server, a browser. Jobs and routes that work on it come with it. */
export interface Part extends Closer {
  ready?: ReadinessCheck
  jobs?: readonly Job[]
  /** HTTP on the internal port, for the gateway alone. */
  routes?: InternalRoutes
}

/** A service is a value: its table of contents. */
export interface Service {
  name: ServiceName
  database?: DatabaseDefinition
  handlers?: readonly Handler[]
  consumers?: readonly Consumer[]
  jobs?: readonly Job[]
  parts?: readonly ((surroundings: Surroundings) => Promise<Part>)[]
  /** HTTP on the internal port, for the gateway alone. */
  internalRoutes?: (surroundings: Surroundings) => InternalRoutes
}

/** A service that answers. */
export interface RunningService {
  healthPort: number
  connection: NatsConnection
  database: Database | null
  stop(): Promise<void>
}

interface StartOptions {
  config?: Partial<RuntimeConfig>
  onError?: (operation: Operation, error: ApiError) => void
}

/** Starts the service of this process, and stops it on signals. The whole of every `main.ts`. */
export async function runService(service: Service): Promise<void> {
  const log = createLogger(service.name, readConfig(RuntimeConfig).LOG_LEVEL)
  process.on('unhandledRejection', (error) => {
    log.error({ err: error }, 'service.unhandled-rejection')
    process.exit(1)
  })
  try {
    const running = await startService(service, {})
    stopOnSignals(async (reason) => {
      log.info({ reason }, 'service.stopping')
      await running.stop()
      log.info({}, 'service.stopped')
    }, log)
  } catch (error) {
    log.error({ err: error }, 'service.not-started')
    process.exit(1)
  }
}

/** Opens what the service needs, in order; what was opened is closed in reverse, also when a later step fails. */
export async function startService(service: Service, { config, onError }: StartOptions): Promise<RunningService> {
  const settings = { ...readConfig(RuntimeConfig), ...config }
  const log = createLogger(service.name, settings.LOG_LEVEL)
  const closers: Closer[] = []
  const checks: Record<string, ReadinessCheck> = {}
  try {
    const traces = await startTracing(service.name, settings)
    // Closed last: what the others do while they close is sent too.
    if (traces) closers.push(traces)
    const database = service.database ? await openOwnDatabase(service.database, settings) : null
    if (database) {
      closers.push({ name: 'database', close: () => database.close() })
      checks['database'] = async () => (await database.pool.query('select 1')).rowCount === 1
    }
    const connection = await connectNats({ name: service.name, url: settings.NATS_URL })
    closers.push({ name: 'nats', close: () => connection.drain() })
    checks['nats'] = () => !isAway(connection) && connection.rtt().then(() => true)
    const surroundings = { connection, database, log }
    collectProcessMetrics(service.name)
    const parts: Part[] = []
    for (const open of service.parts ?? []) {
      const part = await open(surroundings)
      parts.push(part)
      closers.push(part)
      if (part.ready) checks[part.name] = part.ready
    }
    // After the parts, because jobs use them: what is opened later is closed earlier.
    const jobs = [...(service.jobs ?? []), ...parts.flatMap((part) => part.jobs ?? [])]
    if (database) closers.push(...(await startMessaging({ ...service, jobs }, { ...surroundings, database, settings })))
    let answers = false
    checks['requests'] = () => answers
    // Before requests are answered, because answers link to what it serves.
    const health = await startHealth({
      host: settings.HEALTH_HOST,
      port: settings.HEALTH_PORT,
      checks,
      routes: service.internalRoutes?.(surroundings) ?? parts.find((part) => part.routes)?.routes,
    })
    closers.push({ name: 'health', close: () => health.close() })
    closers.push(await answerRequests(service, { ...surroundings, onError }))
    answers = true
    log.info({ health_port: health.port, pid: process.pid }, 'service.started')
    return {
      healthPort: health.port,
      connection,
      database,
      async stop() {
        health.refuse()
        await closeAll(closers, log)
      },
    }
  } catch (error) {
    await closeAll(closers, log)
    throw error
  }
}

function openOwnDatabase(definition: DatabaseDefinition, settings: RuntimeConfig): Promise<Database> {
  if (!settings.DATABASE_URL) throw new Error('DATABASE_URL is not set')
  return openDatabase(definition, { url: settings.DATABASE_URL, poolMax: settings.DATABASE_POOL_MAX })
}

type WithDatabase = Surroundings & { database: Database; settings: RuntimeConfig }

/** Relay, consumers and jobs. */
async function startMessaging(service: Service, { connection, database, log, settings }: WithDatabase): Promise<Closer[]> {
  const manager = await connection.jetstreamManager({ timeout: 10_000, checkAPI: false })
  const jetstream = connection.jetstream({ timeout: 10_000 })
  watchDeadLetters(database)
  await ensureStream(manager, settings.STREAM_REPLICAS)
  const wakeUps = await listenForWakeUps(database.url, log)
  const shared = { database, jetstream, manager, wakeUps, log }
  return [
    { name: 'wake-ups', close: () => wakeUps.close() },
    startRelay({ ...shared, connection, pollMs: settings.OUTBOX_POLL_MS }),
    ...(service.jobs ?? []).map((job) => startJob({ ...shared, job, leaseMs: settings.JOB_LEASE_MS })),
    ...(service.consumers ?? []).map((consumer) => startConsumer({ ...shared, consumer, ackWaitMs: settings.CONSUMER_ACK_WAIT_MS })),
  ]
}

type Answering = Surroundings & { onError: StartOptions['onError'] }

/** One NATS service with an endpoint per operation, in a queue group named after the service. */
async function answerRequests(service: Service, surroundings: Answering): Promise<Closer> {
  const { connection, onError, ...rest } = surroundings
  const { database } = rest
  const own = database ? deadLetterHandlers({ service: service.name, consumers: service.consumers ?? [], database }) : []
  const added = await connection.services.add({ name: service.name, version: '0.1.0', queue: service.name })
  const inFlight = new Set<Promise<void>>()
  for (const handler of [...(service.handlers ?? []), ...own]) {
    const answer = responder(handler, { connection, ...rest, ...(onError && { onError }) })
    added.addEndpoint(handler.operation.subject.split('.').slice(1).join('-'), {
      subject: handler.operation.subject,
      metadata: { summary: handler.operation.summary },
      handler: (error: Error | null, message: ServiceMsg) => {
        if (error) return
        const work = answer(message).finally(() => inFlight.delete(work))
        inFlight.add(work)
      },
    })
  }
  // Ready means that the server knows of every endpoint.
  await connection.flush()
  return {
    name: 'requests',
    async close() {
      await added.stop()
      await Promise.all(inFlight)
      await connection.flush()
    },
  }
}
