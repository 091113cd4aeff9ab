/** PostgreSQL and NATS of an instance: embedded, or the ones the environment names. */
import { join } from 'node:path'
import { natsUsers, type NatsUser } from '@quittance/contracts/permissions'
import type { Engine, Say } from '@quittance/testing/engines/engine'
import { startNatsServer } from '@quittance/testing/engines/nats-server'
import { startPostgres } from '@quittance/testing/engines/postgres'
import { ensureDatabases } from '@quittance/testing/engines/service-database'
import { keepRunning, type Kept } from './keep-running.ts'
import type { Secrets } from './secrets.ts'

export const databaseOwners = ['auth', 'orders', 'invoices', 'webhooks'] as const
export type DatabaseOwner = (typeof databaseOwners)[number]

interface EngineOptions {
  dataDir: string
  /** Data that are thrown away need not survive a power cut. */
  fast: boolean
  given: NodeJS.ProcessEnv
  /** Progress of the start. */
  say: Say
  /** News later on. */
  tell: Say
}

export interface Databases {
  urls: Record<DatabaseOwner, string>
  /** Null when all databases are elsewhere. */
  superuserUrl: string | null
  kept: Kept | null
}

/** `DATABASE_URL_‹SERVICE›` names a database elsewhere; the others live in the embedded PostgreSQL. */
export async function provideDatabases({ secrets, ...options }: EngineOptions & { secrets: Secrets }): Promise<Databases> {
  const external = Object.fromEntries(databaseOwners.map((name) => [name, options.given[`DATABASE_URL_${name.toUpperCase()}`]]))
  const embedded = databaseOwners.filter((name) => !external[name])
  if (embedded.length === 0) return { urls: external as Databases['urls'], superuserUrl: null, kept: null }
  const start = (say: Say, port?: number) =>
    startPostgres({ dataDir: join(options.dataDir, 'postgres'), fast: options.fast, say, ...(port && { port }) })
  const postgres = await start(options.say)
  const kept = keepEngine({ name: 'PostgreSQL', first: postgres, again: () => start(options.tell, postgres.port), tell: options.tell })
  const owners = embedded.map((name) => ({ name, password: secrets.databases[name] }))
  await ensureDatabases(postgres.url('postgres'), owners)
  options.say(`PostgreSQL is ready on port ${postgres.port}`)
  const own = Object.fromEntries(owners.map(({ name, password }) => [name, postgres.url(name, { user: name, password })]))
  return { urls: { ...external, ...own } as Databases['urls'], superuserUrl: postgres.url('postgres'), kept }
}

export interface Nats {
  urls: Record<NatsUser, string>
  kept: Kept | null
}

/** `NATS_URL` names a server elsewhere; with `NATS_PASSWORD_‹USER›` each service is a user of its own there (`infra/nats.conf`). */
export async function provideNats({ dataDir, given, say, tell }: EngineOptions): Promise<Nats> {
  if (given.NATS_URL) return { urls: externalNats(given.NATS_URL, given), kept: null }
  const start = (tellTo: Say, port?: number) => startNatsServer({ dataDir: join(dataDir, 'nats'), say: tellTo, ...(port && { port }) })
  const nats = await start(say)
  say(`NATS is ready on port ${nats.port} (${nats.program})`)
  const urls = Object.fromEntries(natsUsers.map((user) => [user, nats.url(user)])) as Nats['urls']
  return { urls, kept: keepEngine({ name: 'NATS', first: nats, again: () => start(tell, nats.port), tell }) }
}

function externalNats(given: string, environment: NodeJS.ProcessEnv): Nats['urls'] {
  const urlOf = (user: NatsUser) => {
    const password = environment[`NATS_PASSWORD_${user.toUpperCase()}`]
    if (!password) return given
    return given
      .split(',')
      .map((server) =>
        server.replace(/^(?:(\w+):\/\/)?(?:[^@]*@)?/, (_, scheme = 'nats') => `${scheme}://${user}:${encodeURIComponent(password)}@`),
      )
      .join(',')
  }
  return Object.fromEntries(natsUsers.map((user) => [user, urlOf(user)])) as Nats['urls']
}

interface KeptEngine {
  name: string
  first: Engine
  again: () => Promise<Engine>
  tell: Say
}

function keepEngine({ name, first, again, tell }: KeptEngine): Kept {
  let next: Engine | null = first
  const start = async () => {
    const engine = next ?? (await again())
    next = null
    return { ...engine, ready: Promise.resolve(true) }
  }
  return keepRunning({ name, start, say: tell, onRestarted: () => {} })
}
