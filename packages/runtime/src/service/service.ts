import type { ApiError } from '@quittance/contracts/errors'
import type { Operation } from '@quittance/contracts/operation'
import type { BusServiceName } from '@quittance/contracts/services'
import type { NatsConnection, ServiceMsg } from 'nats'
import { createBusIdentity, parseBusSeeds, parsePublicBusKeys, type BusIdentity } from '../bus/identity.ts'
import { rereadConfig, RuntimeConfig } from '../process/config.ts'
import { awaitStream } from '../messaging/event-stream.ts'
import { startConsumer } from '../messaging/consumer-runner.ts'
import { deadLetterHandlers, registerDeadLetterGauge } from '../messaging/dead-letters.ts'
import type { Database, DatabaseDefinition } from '../database/database.ts'
import type { Consumer, Handler, Job } from '../handlers/handler.ts'
import { collectProcessMetrics } from '../process/metrics.ts'
import { createDatabaseClock, startClockCheck } from './clock-check.ts'
import { startHealth, type InternalRoutes, type ReadinessCheck } from './health-server.ts'
import { startJobs } from '../jobs/job-runner.ts'
import { createLeaderSession } from '../jobs/leader-session.ts'
import { createFairSlots } from '../process/fair-slots.ts'
import { createLogger, type Logger } from '../process/logger.ts'
import { connectNats, flushConnection, isDisconnected } from '../nats/nats-connection.ts'
import { startRelay } from '../messaging/outbox-relay.ts'
import { createRpcHandler } from '../rpc/rpc-server.ts'
import { closeAll, type Closeable } from '../process/shutdown.ts'
import { startTracing } from '../process/tracing.ts'
import { listenForNotifications } from '../jobs/notification-listener.ts'
import { assertReactionsComplete, type Reaction } from '../handlers/reactions.ts'
import { runProcess } from './run-process.ts'

/** Resources passed to components of a service. */
export interface ServiceResources {
  connection: NatsConnection
  /** Keys of this service on the bus. */
  identity: BusIdentity
  /** Whether requests and events without a signature are accepted, see `BUS_AUTHENTICATION`. */
  acceptsUnsigned: boolean
  database: Database | null
  log: Logger
}

/** A component with its own lifecycle: an HTTP server, a browser. Its jobs and routes are registered with it. */
export interface ServiceComponent extends Closeable {
  isReady?: ReadinessCheck
  jobs?: readonly Job[]
  /** HTTP routes on the internal port, for the gateway only. */
  routes?: InternalRoutes
}

/** The definition of a service. */
export interface Service {
  name: BusServiceName
  /** Reads the settings of the service and throws if one is invalid, before anything is connected. */
  readConfig?: () => unknown
  database?: DatabaseDefinition
  handlers?: readonly Handler[]
  consumers?: readonly Consumer[]
  jobs?: readonly Job[]
  /** What happens in the same transaction at the declared points: exactly one entry for each. */
  reactions?: readonly Reaction[]
  components?: readonly ((resources: ServiceResources) => Promise<ServiceComponent>)[]
  /** HTTP routes on the internal port, for the gateway only. */
  internalRoutes?: (resources: ServiceResources) => InternalRoutes
}

/** A started service. */
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

/** Starts the service of this process and stops it on signals. Every `main.ts` calls only this. */
export function runService(service: Service): Promise<void> {
  return runProcess(service.name, () => startService(service, {}))
}

/** Opens what the service needs, in order, and closes it in reverse, also if a later step fails. */
export async function startService(service: Service, { config, onError }: StartOptions): Promise<RunningService> {
  assertReactionsComplete(service.name, service.reactions ?? [])
  const { settings, identity } = readSettings(service, config)
  const log = createLogger(service.name, settings.LOG_LEVEL)
  const closers: Closeable[] = []
  const checks: Record<string, ReadinessCheck> = {}
  try {
    const traces = await startTracing(service.name, settings)
    // Closed last, so that spans of the shutdown are exported too.
    if (traces) closers.push(traces)
    const database = await openOwnDatabase(service, { settings, log })
    if (database) {
      closers.push({ name: 'database', close: () => database.close() })
      checks['database'] = async () => (await database.pool.query('select 1')).rowCount === 1
    }
    const connection = await connectNats({ name: service.name, url: settings.NATS_URL, identity, log })
    closers.push({ name: 'nats', close: () => connection.drain() })
    checks['nats'] = () => !isDisconnected(connection) && connection.rtt().then(() => true)
    const acceptsUnsigned = settings.BUS_AUTHENTICATION === 'optional'
    if (acceptsUnsigned) log.warn({}, 'bus.unsigned-accepted')
    const resources = { connection, identity, acceptsUnsigned, database, log }
    collectProcessMetrics(service.name)
    const components: ServiceComponent[] = []
    for (const open of service.components ?? []) {
      const component = await open(resources)
      components.push(component)
      closers.push(component)
      if (component.isReady) checks[component.name] = component.isReady
    }
    // After the components, because jobs use them: what is opened later is closed earlier.
    const jobs = [...(service.jobs ?? []), ...components.flatMap((component) => component.jobs ?? [])]
    if (database) closers.push(...(await startMessaging({ ...service, jobs }, { ...resources, database, settings })))
    let isServing = false
    checks['requests'] = () => isServing
    // Before requests are handled, because replies link to its routes.
    const health = await startHealth({
      host: settings.HEALTH_HOST,
      port: settings.HEALTH_PORT,
      checks,
      routes: service.internalRoutes?.(resources) ?? components.find((component) => component.routes)?.routes,
    })
    closers.push({ name: 'health', close: () => health.close() })
    closers.push(await serveRequests(service, { ...resources, settings, onError }))
    isServing = true
    log.info({ health_port: health.port, pid: process.pid }, 'service.started')
    return {
      healthPort: health.port,
      connection,
      database,
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

/** Reads all settings. Throws if one is invalid, before anything is connected. */
function readSettings({ name, readConfig }: Service, config?: Partial<RuntimeConfig>) {
  const settings = { ...rereadConfig(RuntimeConfig), ...config }
  readConfig?.()
  return { settings, identity: readIdentity(name, settings) }
}

interface Opening {
  settings: RuntimeConfig
  log: Logger
}

async function openOwnDatabase({ database: definition, reactions }: Service, { settings, log }: Opening): Promise<Database | null> {
  if (!definition) return null
  const { DATABASE_URL: url, MIGRATION_DATABASE_URL: migrationUrl, DATABASE_POOL_MAX: poolMax } = settings
  if (!url) throw new Error('DATABASE_URL is not set')
  // Loaded lazily: a service without a database needs no ORM.
  const { openDatabase } = await import('../database/database.ts')
  const database = await openDatabase(definition, { url, poolMax, migrationUrl, reactions, log })
  // Removes a secret that this process no longer needs.
  delete process.env['MIGRATION_DATABASE_URL']
  if (definition.rights?.tables && database.mayChangeSchema)
    log.warn(
      { reason: 'DATABASE_URL owns the schema and could disable the protection of permanent rows; set MIGRATION_DATABASE_URL' },
      'database.one-role',
    )
  return database
}

function readIdentity(user: BusServiceName, { BUS_KEY, BUS_PUBLIC_KEYS }: RuntimeConfig): BusIdentity {
  if (!BUS_KEY || !BUS_PUBLIC_KEYS) throw new Error('BUS_KEY and BUS_PUBLIC_KEYS are not set; `quittance bus-keys` creates them')
  return createBusIdentity({ user, seeds: parseBusSeeds(BUS_KEY), publicKeys: parsePublicBusKeys(BUS_PUBLIC_KEYS) })
}

type WithDatabase = ServiceResources & { database: Database; settings: RuntimeConfig }

/** A request in flight when the connection breaks gets no reply: consumer and relay continue after this time. */
const jetstreamTimeoutMs = 5_000

/** Starts relay, consumers and jobs. */
async function startMessaging(service: Service, { settings, ...resources }: WithDatabase): Promise<Closeable[]> {
  const { connection, database, log } = resources
  const manager = await connection.jetstreamManager({ timeout: jetstreamTimeoutMs, checkAPI: false })
  const jetstream = connection.jetstream({ timeout: jetstreamTimeoutMs })
  registerDeadLetterGauge(database)
  await awaitStream(manager, log)
  const wakeUps = await listenForNotifications(database.url, log)
  const leaderSession = createLeaderSession(database.url, 'consumers')
  const shared = { ...resources, jetstream, manager, wakeUps, leaderSession }
  return [
    startClockCheck({ readReference: createDatabaseClock(database), log }),
    { name: 'wake-ups', close: () => wakeUps.close() },
    { name: 'leader-session', close: () => leaderSession.close() },
    startRelay({ ...shared, pollMs: settings.OUTBOX_POLL_MS }),
    ...startJobs(service.jobs ?? [], { ...shared, leaseMs: settings.JOB_LEASE_MS }),
    ...(service.consumers ?? []).map((consumer) => startConsumer({ ...shared, consumer })),
  ]
}

/** Connections of the pool left for the relay, consumers and jobs. */
const backgroundConnections = 2

type RequestOptions = ServiceResources & { settings: RuntimeConfig; onError: StartOptions['onError'] }

/** Registers one NATS service with an endpoint per operation, in a queue group named after the service. */
async function serveRequests(service: Service, resources: RequestOptions): Promise<Closeable> {
  const { connection, settings, onError, ...rest } = resources
  const { database, identity, acceptsUnsigned } = rest
  const slots = createFairSlots(Math.max(1, settings.DATABASE_POOL_MAX - backgroundConnections))
  const ownHandlers = database
    ? deadLetterHandlers({ service: service.name, consumers: service.consumers ?? [], database, identity, acceptsUnsigned })
    : []
  const added = await connection.services.add({ name: service.name, version: '0.1.0', queue: service.name })
  const inFlight = new Set<Promise<void>>()
  for (const handler of [...(service.handlers ?? []), ...ownHandlers]) {
    const handleMessage = createRpcHandler(handler, { connection, slots, ...rest, ...(onError && { onError }) })
    added.addEndpoint(handler.operation.subject.split('.').slice(1).join('-'), {
      subject: handler.operation.subject,
      metadata: { summary: handler.operation.summary },
      handler: (error: Error | null, message: ServiceMsg) => {
        if (error) return
        const work = handleMessage(message).finally(() => inFlight.delete(work))
        inFlight.add(work)
      },
    })
  }
  // Ready only after the server has registered every endpoint.
  await flushConnection(connection)
  return {
    name: 'requests',
    async close() {
      await added.stop()
      await Promise.all(inFlight)
      await connection.flush()
    },
  }
}
