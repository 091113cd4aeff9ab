/** Real processes on dedicated engines, for tests that kill them. */
import { spawn, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { orderPaid } from '@quittance/contracts/orders'
import { createWebhookEndpoint } from '@quittance/contracts/webhooks'
import { startProvisioner } from '@quittance/runtime/bus/provision'
import { createLogger } from '@quittance/runtime/logger'
import { connectNats, type NatsConnection } from '@quittance/runtime/nats-connection'
import { call } from '@quittance/runtime/rpc-client'
import { signedEventHeaders, testBusSettings, testIdentity } from '@quittance/testing/bus'
import { organizationCaller } from '@quittance/testing/callers'
import { freePorts } from '@quittance/testing/engines/free-ports'
import { createDisposableFolder } from '@quittance/testing/engines/disposable-folder'
import { startNatsServer, type NatsServer } from '@quittance/testing/engines/nats-server'
import { startPostgres, type Postgres } from '@quittance/testing/engines/postgres'
import { eventually } from '@quittance/testing/eventually'
import { Client, type QueryResultRow } from 'pg'
import { anOrder } from './order-payload.ts'

/** PostgreSQL and NATS that a test can stop. */
export interface Engines extends AsyncDisposable {
  postgres: Postgres
  nats: NatsServer
  natsUrl: string
  /** Stops PostgreSQL; the returned function starts it again on the same port and data. */
  stopPostgres(signal?: 'SIGINT' | 'SIGQUIT'): Promise<() => Promise<void>>
  stopNats(signal?: 'SIGTERM' | 'SIGKILL'): Promise<() => Promise<void>>
  rows<Row extends QueryResultRow>(database: string, sql: string, values?: unknown[]): Promise<Row[]>
  /** Holds a lock until the returned function is called. */
  lock(database: string, sql: string): Promise<() => Promise<void>>
  /** Terminates waiting sessions of dead clients; PostgreSQL itself would notice only after their statements. */
  endWaiting(database: string): Promise<void>
  /** Resolves when a session waits for a lock of this table. */
  untilBlocked(database: string, table: string): Promise<void>
}

const endWaitingSql = `
  select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`

/** `disk` is the folder of PostgreSQL's data; default: the test's temporary folder. */
export async function startEngines({ disk }: { disk?: string } = {}): Promise<Engines> {
  const folder = createDisposableFolder('faults')
  const [natsPort] = (await freePorts(1)) as [number]
  const startDatabase = (port?: number) => startPostgres({ dataDir: join(disk ?? folder, 'postgres'), fast: true, ...(port && { port }) })
  const startStream = () => startNatsServer({ dataDir: join(folder, 'nats'), port: natsPort, testAccounts: 1 })
  let [postgres, nats] = await Promise.all([startDatabase(), startStream()])
  const connect = (database: string) => connectClient(postgres.url(database))
  const rows: Engines['rows'] = async (database, sql, values) => {
    const client = await connect(database)
    try {
      return (await client.query(sql, values)).rows as never
    } finally {
      await client.end()
    }
  }
  for (const database of ['webhooks', 'orders']) await rows('postgres', `create database ${database}`)
  const provisioner = await startStreamProvisioner(nats.url('w0'))
  return {
    get postgres() {
      return postgres
    },
    get nats() {
      return nats
    },
    natsUrl: nats.url('w0'),
    rows,
    async stopPostgres(signal = 'SIGINT') {
      const { port, pid, exited } = postgres
      process.kill(pid, signal)
      await exited
      return async () => void (postgres = await startDatabase(port))
    },
    async stopNats(signal = 'SIGTERM') {
      process.kill(nats.pid, signal)
      await nats.exited
      return async () => void (nats = await startStream())
    },
    async lock(database, sql) {
      const client = await connect(database)
      await client.query(`begin; ${sql}`)
      return () => client.end()
    },
    endWaiting: (database) =>
      eventually(async () => {
        const left = await rows(database, endWaitingSql)
        if (left.length > 0) throw new Error('A session still waits')
      }),
    untilBlocked: (database, table) =>
      eventually(async () => {
        const waiting = await rows(database, `select from pg_locks where not granted and relation = $1::regclass`, [table])
        if (waiting.length === 0) throw new Error(`No session waits for ${table}`)
      }),
    async [Symbol.asyncDispose]() {
      await provisioner.close()
      await Promise.all([postgres.stop(), nats.stop()])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function connectClient(connectionString: string): Promise<Client> {
  const client = new Client({ connectionString })
  client.on('error', () => {})
  await client.connect()
  return client
}

async function startStreamProvisioner(url: string): Promise<{ close(): Promise<void> }> {
  const connection = await connectNats({ name: 'provisioner', url })
  const log = createLogger('provisioner', quick.LOG_LEVEL)
  const provisioner = startProvisioner({ connection, log, replicas: 1, ackWaitMs: 1_500, checkEveryMs: 250 })
  return {
    async close() {
      await provisioner.close()
      await connection.close()
    },
  }
}

/** A service in a separate process. */
export interface ServiceProcess extends AsyncDisposable {
  pid: number
  /** Null while it runs. */
  exitCode(): number | null
  isReady(): Promise<boolean>
  untilReady(): Promise<void>
  metrics(): Promise<string>
  kill(): Promise<void>
  /** Sends SIGTERM; returns the exit code. */
  stop(): Promise<number | null>
}

interface ProcessOptions {
  database: 'webhooks' | 'orders'
  env?: Record<string, string>
}

const mains = { webhooks: join(import.meta.dirname, '../src/main.ts'), orders: join(import.meta.dirname, 'publisher-process.ts') }

/** Short intervals for fast recovery; the mechanisms are the same. */
const quick = {
  JOB_LEASE_MS: '2000',
  OUTBOX_POLL_MS: '100',
  DELIVERY_TIMEOUT_MS: '5000',
  RETRY_SCHEDULE_S: '0.2,0.2,0.2,0.5,0.5,1,1,1,1',
  BREAKER_PAUSE_MS: '500',
  LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'silent',
  SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
  WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
}

export async function startProcess(engines: Engines, { database, env }: ProcessOptions): Promise<ServiceProcess> {
  const [port] = (await freePorts(1)) as [number]
  const settings = {
    ...quick,
    HEALTH_PORT: String(port),
    DATABASE_URL: engines.postgres.url(database),
    NATS_URL: engines.natsUrl,
    ...testBusSettings(database),
    ...env,
  }
  const child: ChildProcess = spawn(process.execPath, [mains[database]], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const exited = once(child, 'exit')
  const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(8_000) })
  const isReady = () =>
    get('/readyz').then(
      ({ status }) => status === 200,
      () => false,
    )
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal)
    await exited
    return child.exitCode
  }
  const started: ServiceProcess = {
    pid: child.pid ?? -1,
    exitCode: () => child.exitCode,
    isReady,
    untilReady: () =>
      eventually(async () => {
        if (!(await isReady())) throw new Error(`${database} is not ready`)
      }),
    metrics: () => get('/metrics').then((answer) => answer.text()),
    kill: async () => void (await end('SIGKILL')),
    stop: () => end('SIGTERM'),
    [Symbol.asyncDispose]: async () => void (await end('SIGKILL')),
  }
  await started.untilReady()
  return started
}

/** The other roles of a test: the gateway and the owner of the events. */
export interface ExternalActors extends AsyncDisposable {
  connection: NatsConnection
  endpoint(url: string, organizationId: string): Promise<{ id: string; secret: string }>
  /** Publishes `order.paid` as its owner would; returns the event's id. */
  publish(organizationId: string, id?: string): Promise<string>
}

export async function connectExternalActors(engines: Engines): Promise<ExternalActors> {
  const connection = await connectNats({ name: 'test', url: engines.natsUrl, identity: testIdentity('gateway') })
  return {
    connection,
    endpoint: (url, organizationId) =>
      call(connection, {
        operation: createWebhookEndpoint,
        request: { url, events: ['order.*'] },
        caller: organizationCaller(organizationId),
      }),
    async publish(organizationId, id = randomUUID()) {
      const order = anOrder(organizationId)
      const body = Buffer.from(JSON.stringify(order))
      const about = { subject: orderPaid.subject, id, aggregateId: order.id, organizationId, occurredAt: new Date().toISOString(), body }
      await connection.jetstream().publish(orderPaid.subject, body, { msgID: id, headers: signedEventHeaders('orders', about) })
      return id
    },
    [Symbol.asyncDispose]: () => connection.close(),
  }
}

/** Commits an event to the outbox of `orders` as a command would; returns its id. */
export async function commitEvent(engines: Engines, organizationId: string): Promise<string> {
  const id = randomUUID()
  const order = anOrder(organizationId)
  await engines.rows(
    'orders',
    `insert into outbox_messages (id, subject, aggregate_id, organization_id, payload, occurred_at) values ($1, $2, $3, $4, $5, now())`,
    [id, orderPaid.subject, order.id, organizationId, JSON.stringify(order)],
  )
  return id
}
