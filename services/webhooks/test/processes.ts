/** Real processes on engines of their own, for what can only be seen when something is killed. */
import { spawn, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { orderPaid } from '@quittance/contracts/orders'
import { headers } from '@quittance/contracts/headers'
import { createWebhookEndpoint } from '@quittance/contracts/webhooks'
import { connectNats, natsHeaders, type NatsConnection } from '@quittance/runtime/nats'
import { call } from '@quittance/runtime/request'
import { organizationCaller } from '@quittance/testing/callers'
import { freePorts } from '@quittance/testing/engines/free-ports'
import { startNatsServer, type NatsServer } from '@quittance/testing/engines/nats-server'
import { startPostgres, type Postgres } from '@quittance/testing/engines/postgres'
import { eventually } from '@quittance/testing/eventually'
import { Client, type QueryResultRow } from 'pg'
import { anOrder } from './an-order.ts'

/** PostgreSQL and NATS that a test may stop. */
export interface Engines extends AsyncDisposable {
  postgres: Postgres
  nats: NatsServer
  natsUrl: string
  /** Stops PostgreSQL; the answer starts it again, on the same port and the same data. */
  stopPostgres(signal?: 'SIGINT' | 'SIGQUIT'): Promise<() => Promise<void>>
  stopNats(signal?: 'SIGTERM' | 'SIGKILL'): Promise<() => Promise<void>>
  rows<Row extends QueryResultRow>(database: string, sql: string, values?: unknown[]): Promise<Row[]>
  /** Holds a lock until the answer is called. */
  lock(database: string, sql: string): Promise<() => Promise<void>>
  /** Ends what dead clients have left waiting; PostgreSQL itself would notice only after their statements. */
  endWaiting(database: string): Promise<void>
  /** Waits until somebody waits for a lock of this table. */
  untilBlocked(database: string, table: string): Promise<void>
}

/** `disk` is where PostgreSQL keeps its data, if not in a folder of the test's own. */
export async function startEngines({ disk }: { disk?: string } = {}): Promise<Engines> {
  const folder = mkdtempSync(join(tmpdir(), 'quittance-faults-'))
  const [natsPort] = (await freePorts(1)) as [number]
  const startDatabase = (port?: number) => startPostgres({ dataDir: join(disk ?? folder, 'postgres'), fast: true, ...(port && { port }) })
  const startStream = () => startNatsServer({ dataDir: join(folder, 'nats'), port: natsPort, testAccounts: 1 })
  let [postgres, nats] = await Promise.all([startDatabase(), startStream()])
  const connect = async (database: string) => {
    const client = new Client({ connectionString: postgres.url(database) })
    client.on('error', () => {})
    await client.connect()
    return client
  }
  const rows: Engines['rows'] = async (database, sql, values) => {
    const client = await connect(database)
    try {
      return (await client.query(sql, values)).rows as never
    } finally {
      await client.end()
    }
  }
  for (const database of ['webhooks', 'orders']) await rows('postgres', `create database ${database}`)
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
        const left = await rows(
          database,
          `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
        if (left.length > 0) throw new Error('Somebody still waits')
      }),
    untilBlocked: (database, table) =>
      eventually(async () => {
        const waiting = await rows(database, `select from pg_locks where not granted and relation = $1::regclass`, [table])
        if (waiting.length === 0) throw new Error(`Nobody waits for ${table}`)
      }),
    async [Symbol.asyncDispose]() {
      await Promise.all([postgres.stop(), nats.stop()])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A service as a process of its own. */
export interface ServiceProcess extends AsyncDisposable {
  pid: number
  /** Null while it runs. */
  exitCode(): number | null
  isReady(): Promise<boolean>
  untilReady(): Promise<void>
  metrics(): Promise<string>
  kill(): Promise<void>
  /** SIGTERM; gives the exit code. */
  stop(): Promise<number | null>
}

interface ProcessOptions {
  database: 'webhooks' | 'orders'
  env?: Record<string, string>
}

const mains = { webhooks: join(import.meta.dirname, '../src/main.ts'), orders: join(import.meta.dirname, 'teller.ts') }

/** Recovery is quick; the mechanisms are the same. */
const quick = {
  CONSUMER_ACK_WAIT_MS: '1500',
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
    ...env,
  }
  const child: ChildProcess = spawn(process.execPath, [mains[database]], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const exited = once(child, 'exit')
  const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(8_000) })
  const isReady = () =>
    ask('/readyz').then(
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
    metrics: () => ask('/metrics').then((answer) => answer.text()),
    kill: async () => void (await end('SIGKILL')),
    stop: () => end('SIGTERM'),
    [Symbol.asyncDispose]: async () => void (await end('SIGKILL')),
  }
  await started.untilReady()
  return started
}

/** What a test does besides: the gateway's and the owner's part. */
export interface Outside extends AsyncDisposable {
  connection: NatsConnection
  endpoint(url: string, organizationId: string): Promise<{ id: string; secret: string }>
  /** Says a paid order as its owner would; gives the event's id. */
  tell(organizationId: string, id?: string): Promise<string>
}

export async function openOutside(engines: Engines): Promise<Outside> {
  const connection = await connectNats({ name: 'test', url: engines.natsUrl })
  return {
    connection,
    endpoint: (url, organizationId) =>
      call(connection, {
        operation: createWebhookEndpoint,
        request: { url, events: ['order.*'] },
        caller: organizationCaller(organizationId),
      }),
    async tell(organizationId, id = randomUUID()) {
      const order = anOrder(organizationId)
      const sent = natsHeaders()
      sent.set(headers.aggregate, order.id)
      sent.set(headers.organization, organizationId)
      sent.set(headers.occurredAt, new Date().toISOString())
      await connection.jetstream().publish(orderPaid.subject, Buffer.from(JSON.stringify(order)), { msgID: id, headers: sent })
      return id
    },
    [Symbol.asyncDispose]: () => connection.close(),
  }
}

/** Commits an event in the outbox of `orders`, as a command would; gives its id. */
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
