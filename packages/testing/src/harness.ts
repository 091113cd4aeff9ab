import { randomUUID } from 'node:crypto'
import type { Caller } from '@quittance/contracts/caller'
import { InternalServerError } from '@quittance/contracts/errors'
import type { Event, PayloadOf } from '@quittance/contracts/event'
import { headers } from '@quittance/contracts/headers'
import type { Operation, ReplyOf, RequestInput } from '@quittance/contracts/operation'
import { eventStream } from '@quittance/contracts/streams'
import type { RuntimeConfig } from '@quittance/runtime/config'
import { connectNats, ensureStream, natsHeaders, type NatsConnection } from '@quittance/runtime/nats'
import { call } from '@quittance/runtime/request'
import { startService, type RunningService, type Service } from '@quittance/runtime/service'
import { Client, type QueryResultRow } from 'pg'
import { inject } from 'vitest'
import { cloneDatabase } from './database.ts'
import { noteSeenError } from './declared-errors.ts'
import { eventually } from './eventually.ts'
import { natsAccounts } from './test-servers.ts'

/** An event as the service said it. */
export interface SaidEvent {
  id: string
  subject: string
  payload: unknown
  organizationId: string | null
}

/** What an emitted event is about; ids are made up where none is given. */
export interface Emission {
  id?: string
  organizationId?: string | null
  aggregateId?: string
  /** When it happened; an event that is told again says the same. */
  occurredAt?: Date
}

/** One real service on a database and a message stream of its own. The other services are absent; the test plays them. */
export interface TestService extends AsyncDisposable {
  connection: NatsConnection
  /** Settings the service runs with; a second replica takes the same. */
  config: Partial<RuntimeConfig>
  databaseUrl: string | null
  healthPort(): number
  /** Every event said since the start, in order. */
  said: SaidEvent[]
  /** Calls like the gateway does; a reply that does not match its contract fails the test. */
  call<O extends Operation>(operation: O, request: RequestInput<O>, caller: Caller): Promise<ReplyOf<O>>
  /** Says an event as its owner would, and gives its id. */
  emit<E extends Event>(event: E, payload: PayloadOf<E>, about?: Emission): Promise<string>
  /** The next event of a kind that was not handed out yet. */
  nextEvent<E extends Event>(event: E): Promise<PayloadOf<E>>
  /** A look into the database, for what cannot be seen from outside. */
  rows<Row extends QueryResultRow>(sql: string, values?: unknown[]): Promise<Row[]>
  /** Runs a statement in a transaction of its own that stays open until the answer is called: for locks that others meet. */
  hold(sql: string): Promise<() => Promise<void>>
  /** Stops and starts again on the same data. */
  restart(): Promise<void>
  /** Faults (500) that are part of the test; without this any fault fails it. */
  expectFaults(): void
}

/** Recovery is quick in tests; the mechanisms are the same. */
const quick = {
  CONSUMER_ACK_WAIT_MS: 2_000,
  JOB_LEASE_MS: 2_000,
  OUTBOX_POLL_MS: 100,
  LOG_LEVEL: (process.env['LOG_LEVEL'] ?? 'silent') as 'silent',
}

export async function startTestService(service: Service): Promise<TestService> {
  const account = `w${Number(process.env['VITEST_POOL_ID'] ?? 0) % natsAccounts}`
  const natsUrl = `nats://${account}:${account}@${inject('natsHost')}`
  const connection = await connectNats({ name: 'test', url: natsUrl })
  const said = await listen(connection)
  const database = service.database ? await cloneDatabase(service.name, service.database) : null
  const faults: string[] = []
  let faultsExpected = false
  const handedOut = new Map<string, number>()
  const config = { ...quick, NATS_URL: natsUrl, ...(database && { DATABASE_URL: database.url }) }
  const start = () =>
    startService(service, {
      config,
      onError(operation, error) {
        noteSeenError(operation, error.name)
        if (error instanceof InternalServerError) faults.push(operation.subject)
      },
    })
  let running: RunningService = await start()
  return {
    connection,
    config,
    databaseUrl: database?.url ?? null,
    healthPort: () => running.healthPort,
    said,
    async call(operation, request, caller) {
      const reply = await call(connection, { operation, request, caller })
      return operation.reply.parse(reply) as ReplyOf<typeof operation>
    },
    emit: (event, payload, about = {}) => emit(connection, { event, payload, about }),
    nextEvent: (event) =>
      eventually(() => {
        const index = said.findIndex(
          ({ subject }, position) => position >= (handedOut.get(event.subject) ?? 0) && subject === event.subject,
        )
        if (index < 0) throw new Error(`${event.subject} was not said; said: ${said.map(({ subject }) => subject).join(', ')}`)
        handedOut.set(event.subject, index + 1)
        return event.payload.parse((said[index] as SaidEvent).payload) as PayloadOf<typeof event>
      }),
    rows: (sql, values) => look(database?.url, { sql, values: values ?? [] }),
    hold: (sql) => hold(database?.url, sql),
    async restart() {
      await running.stop()
      running = await start()
    },
    expectFaults: () => void (faultsExpected = true),
    async [Symbol.asyncDispose]() {
      await running.stop()
      await connection.close()
      await database?.drop()
      if (faults.length > 0 && !faultsExpected) throw new Error(`Answered with InternalServerError: ${faults.join(', ')}`)
    },
  }
}

/** A fresh stream, and an ear on everything that is said into it. */
async function listen(connection: NatsConnection): Promise<SaidEvent[]> {
  const manager = await connection.jetstreamManager()
  await manager.streams.delete(eventStream.name).catch(() => {})
  await ensureStream(manager)
  const said: SaidEvent[] = []
  connection.subscribe('event.>', {
    callback: (error, message) => {
      const id = message.headers?.get('Nats-Msg-Id')
      if (error || !id || said.some((event) => event.id === id)) return
      said.push({
        id,
        subject: message.subject,
        payload: message.json(),
        organizationId: message.headers?.get(headers.organization) || null,
      })
    },
  })
  await connection.flush()
  return said
}

async function emit(
  connection: NatsConnection,
  { event, payload, about }: { event: Event; payload: unknown; about: Emission },
): Promise<string> {
  const id = about.id ?? randomUUID()
  const sent = natsHeaders()
  sent.set(headers.aggregate, about.aggregateId ?? randomUUID())
  sent.set(headers.occurredAt, (about.occurredAt ?? new Date()).toISOString())
  if (about.organizationId) sent.set(headers.organization, about.organizationId)
  await connection.jetstream().publish(event.subject, Buffer.from(JSON.stringify(payload)), { msgID: id, headers: sent })
  return id
}

async function connectTo(url: string | undefined): Promise<Client> {
  if (!url) throw new Error('This service has no database')
  const client = new Client({ connectionString: url })
  await client.connect()
  return client
}

async function hold(url: string | undefined, sql: string): Promise<() => Promise<void>> {
  const client = await connectTo(url)
  await client.query(`begin; ${sql}`)
  return () => client.end()
}

async function look<Row extends QueryResultRow>(
  url: string | undefined,
  { sql, values }: { sql: string; values: unknown[] },
): Promise<Row[]> {
  const client = await connectTo(url)
  try {
    return (await client.query<Row>(sql, values)).rows
  } finally {
    await client.end()
  }
}
