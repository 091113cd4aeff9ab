/** PostgreSQL and NATS of an instance: embedded, or the external ones that the environment names. */
import { join } from 'node:path'
import { natsUsers, type NatsUser } from '@quittance/contracts/nats-users'
import type { Engine, ProgressReporter } from '@quittance/testing/engines/engine'
import { startNatsServer, type NatsServer } from '@quittance/testing/engines/nats-server'
import { startPostgres } from '@quittance/testing/engines/postgres'
import { ensureDatabases, runtimeRole } from '@quittance/testing/engines/service-database'
import { databaseOwners, databasePassword, migrationPassword, type DatabaseOwner, type Secrets } from '../secrets/secret-list.ts'
import { restoreAdvice } from './secrets.ts'
import { superviseProcess, type SupervisedProcess } from './supervise-process.ts'
import { watchJetStream } from './watch-jetstream.ts'

interface EngineOptions {
  dataDir: string
  /** Skips syncing to disk: temporary data need not survive a power failure. */
  fast: boolean
  userEnvironment: NodeJS.ProcessEnv
  /** Progress of the start. */
  report: ProgressReporter
  /** Later messages. */
  notify: ProgressReporter
}

export interface Databases {
  /** With the roles that services run with. */
  urls: Record<DatabaseOwner, string>
  /** With the roles that migrate; none if an external database has one role for both. */
  migrationUrls: Partial<Record<DatabaseOwner, string>>
  /** The databases of the environment: a part of `urls`. */
  external: Partial<Record<DatabaseOwner, string>>
  /** Null if all databases are external. */
  superuserUrl: string | null
  kept: SupervisedProcess | null
}

/** `invalid_password` of PostgreSQL. */
const wrongPassword = '28P01'
const postgresPatienceMs = 5_000

/**
 * Starts PostgreSQL. `DATABASE_URL_‹SERVICE›` names an external database, `MIGRATION_DATABASE_URL_‹SERVICE›` its other role; the others are
 * in the embedded PostgreSQL.
 */
export async function startDatabases({ secrets, ...options }: EngineOptions & { secrets: Secrets }): Promise<Databases> {
  const external = readUrls('DATABASE_URL', { owners: databaseOwners, environment: options.userEnvironment })
  const embedded = databaseOwners.filter((name) => !external[name])
  const externalOwners = databaseOwners.filter((name) => external[name])
  const externalMigration = readUrls('MIGRATION_DATABASE_URL', { owners: externalOwners, environment: options.userEnvironment })
  if (embedded.length === 0)
    return { urls: external as Databases['urls'], migrationUrls: externalMigration, external, superuserUrl: null, kept: null }
  const start = (report: ProgressReporter, port?: number) =>
    startPostgres({ dataDir: join(options.dataDir, 'postgres'), fast: options.fast, report, ...(port && { port }) })
  const postgres = await start(options.report)
  const kept = keepEngine({
    name: 'PostgreSQL',
    first: postgres,
    again: () => start(options.notify, postgres.port),
    notify: options.notify,
  })
  const owners = embedded.map((name) => ({
    name,
    password: secrets[migrationPassword(name)] as string,
    runtimePassword: secrets[databasePassword(name)] as string,
  }))
  await ensureDatabases(postgres.url('postgres'), owners).catch(async (error: Error & { code?: string }) => {
    await kept.stop(postgresPatienceMs)
    if (error.code !== wrongPassword) throw error
    const file = join(options.dataDir, 'postgres.password')
    throw new Error(`${file} does not have the password of PostgreSQL. ${restoreAdvice(file)}`, { cause: error })
  })
  options.report(`PostgreSQL is ready on port ${postgres.port}`)
  const urlsWith = (credentials: (owner: (typeof owners)[number]) => { user: string; password: string }) =>
    Object.fromEntries(owners.map((owner) => [owner.name, postgres.url(owner.name, credentials(owner))]))
  return {
    urls: {
      ...external,
      ...urlsWith(({ name, runtimePassword }) => ({ user: runtimeRole(name), password: runtimePassword })),
    } as Databases['urls'],
    migrationUrls: { ...externalMigration, ...urlsWith(({ name, password }) => ({ user: name, password })) },
    external,
    superuserUrl: postgres.url('postgres'),
    kept,
  }
}

function readUrls(
  prefix: string,
  { owners, environment }: { owners: readonly DatabaseOwner[]; environment: NodeJS.ProcessEnv },
): Partial<Record<DatabaseOwner, string>> {
  const urls = owners.map((owner) => [owner, environment[`${prefix}_${owner.toUpperCase()}`]])
  return Object.fromEntries(urls.filter(([, url]) => url))
}

export interface Nats {
  urls: Record<NatsUser, string>
  /** Ports of its monitor, in addition to the ports of the URLs. */
  internalPorts: readonly number[]
  /** Applies the permissions of the contracts on disk; nothing on an external server. */
  updatePermissions(): Promise<void>
  kept: SupervisedProcess | null
}

/**
 * Starts NATS. `NATS_URL` names an external server; with `NATS_PASSWORD_‹USER›` each service is a separate user there (`infra/nats.conf`).
 */
export async function startNats({ dataDir, userEnvironment, report, notify }: EngineOptions): Promise<Nats> {
  if (userEnvironment.NATS_URL) {
    const urls = externalNats(userEnvironment.NATS_URL, userEnvironment)
    return { urls, internalPorts: [], updatePermissions: async () => {}, kept: null }
  }
  const transitional = userEnvironment.BUS_AUTHENTICATION === 'optional'
  const start = (reporter: ProgressReporter, at?: NatsServer) =>
    startNatsServer({
      dataDir: join(dataDir, 'nats'),
      report: reporter,
      transitional,
      ...(at && { port: at.port, monitorPort: at.monitorPort }),
    })
  const nats = await start(report)
  report(`NATS is ready on port ${nats.port} (${nats.program})`)
  const urls = Object.fromEntries(natsUsers.map((user) => [user, nats.url(user)])) as Nats['urls']
  const supervised = keepEngine({ name: 'NATS', first: nats, again: () => start(notify, nats), notify })
  const endWatch = watchJetStream({ monitorPort: nats.monitorPort, dataDir: join(dataDir, 'nats'), nats: supervised, report: notify })
  const stop = (patienceMs: number) => {
    endWatch()
    return supervised.stop(patienceMs)
  }
  const kept = { ...supervised, stop }
  return { urls, internalPorts: [nats.monitorPort], updatePermissions: () => nats.reload(), kept }
}

function externalNats(url: string, environment: NodeJS.ProcessEnv): Nats['urls'] {
  const buildUrl = (user: NatsUser) => {
    const password = environment[`NATS_PASSWORD_${user.toUpperCase()}`]
    if (!password) return url
    return url
      .split(',')
      .map((server) =>
        server.replace(/^(?:(\w+):\/\/)?(?:[^@]*@)?/, (_, scheme = 'nats') => `${scheme}://${user}:${encodeURIComponent(password)}@`),
      )
      .join(',')
  }
  return Object.fromEntries(natsUsers.map((user) => [user, buildUrl(user)])) as Nats['urls']
}

interface KeptEngine {
  name: string
  first: Engine
  again: () => Promise<Engine>
  notify: ProgressReporter
}

function keepEngine({ name, first, again, notify }: KeptEngine): SupervisedProcess {
  let next: Engine | null = first
  const start = async () => {
    const engine = next ?? (await again())
    next = null
    return { ...engine, ready: Promise.resolve(true) }
  }
  return superviseProcess({ name, start, report: notify, onRestarted: () => {} })
}
