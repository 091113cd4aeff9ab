import { setTimeout as delay } from 'node:timers/promises'
import type { Migrator } from '@mikro-orm/migrations'
import type pg from 'pg'
import type { Logger } from '../process/logger.ts'
import { isLockConflict } from './unavailable.ts'

/**
 * Time that a migration waits for a lock, in milliseconds. Every later statement on the table waits behind it, reads too, so that the time must be
 * short, and between two attempts they must get their turn.
 */
export const migrationLockMs = 1_000
const pauseMs = 4_000

/** About two and a half minutes for each migration. */
const defaultLockAttempts = 30

interface PendingOptions {
  /** A connection to the same database, which reads who holds locks. */
  client: pg.Client
  log: Logger
  beforePause(): Promise<unknown>
  /** Maximum attempts of a migration to get its locks. */
  lockAttempts?: number | undefined
}

/**
 * Runs each pending migration in its own transaction, in which it is recorded too. Returns their names. Throws an error that names the
 * migration.
 */
export async function runPendingMigrations(migrator: Migrator, options: PendingOptions): Promise<string[]> {
  const { client, log, beforePause, lockAttempts = defaultLockAttempts } = options
  const current = { name: '', attempts: 1 }
  const applied: string[] = []
  migrator.on('migrated', ({ name }) => void applied.push(name))
  migrator.on('migrating', ({ name }) => {
    if (name !== current.name) current.attempts = 1
    current.name = name
  })
  for (;;) {
    try {
      await migrator.up()
      return applied
    } catch (error) {
      if (!isLockConflict(error)) throw createMigrationError(current.name, error)
      const holders = await describeHolders(client)
      if (current.attempts >= lockAttempts) throw createLockError({ ...current, holders }, error)
      log.warn({ migration: current.name, attempt: current.attempts, holders }, 'migration.waiting')
      current.attempts += 1
      // Replicas of the release before may write, by triggers, to tables of the migrations that have run.
      await beforePause()
      await delay(pauseMs)
    }
  }
}

function createMigrationError(name: string, cause: unknown): Error {
  const { message } = cause as Error
  return new Error(name ? `The migration ${name} failed: ${message}` : message, { cause })
}

function createLockError({ name, attempts, holders }: { name: string; attempts: number; holders: string }, cause: unknown): Error {
  const advice = `Migrate again when no other transaction uses its tables, such as pg_dump or a long query. Locks are held by ${holders || 'none now'}.`
  return new Error(`The migration ${name} got no lock on a table in ${attempts} attempts. ${advice}`, { cause })
}

const holdersOfLocks = `
  select l.pid, coalesce(a.application_name, '') as application, array_agg(distinct c.relname::text) as tables
  from pg_locks l join pg_class c on c.oid = l.relation left join pg_stat_activity a on a.pid = l.pid
  where l.granted and l.database = (select oid from pg_database where datname = current_database())
    and c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and l.pid <> pg_backend_pid()
  group by l.pid, a.application_name order by count(*) desc limit 3`

const maxTables = 4

/** Returns the processes with locks on tables, most locks first: `process 4711 (pg_dump) on orders, products`. */
async function describeHolders(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ pid: number; application: string; tables: string[] }>(holdersOfLocks)
  return rows
    .map(({ pid, application, tables }) => {
      const named = tables.length > maxTables ? [...tables.slice(0, maxTables), '…'] : tables
      return `process ${pid}${application && ` (${application})`} on ${named.join(', ')}`
    })
    .join('; ')
}
