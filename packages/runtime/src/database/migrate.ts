import type { MikroORM } from '@mikro-orm/postgresql'
import type { Migrator } from '@mikro-orm/migrations'
import pg from 'pg'
import { createLogger, type Logger } from '../process/logger.ts'
import { clientLossDetection, enableLossDetection } from './connection-loss.ts'
import { runPendingMigrations } from './pending-migrations.ts'
import { grantRuntimeRights, type RuntimeRights } from './runtime-rights.ts'

/** Key of the advisory lock under which migrations run; any constant, the same for every replica. */
const migrationLock = 7_201_120

interface Migrating {
  /** URL with the role that owns the schema. */
  url: string
  /** Runtime role of the service, if it is a different one, and its rights. */
  runtime: { role: string; rights: RuntimeRights } | null
  /** Receives warnings about migrations that wait for a lock; by default a separate logger. */
  log?: Logger | undefined
  /** See `MigrateOptions`. */
  lockAttempts?: number | undefined
}

/**
 * Runs pending migrations under an advisory lock, then grants the runtime role its rights. The migrator itself takes no lock: replicas that
 * start together would run the same migration twice. If a migration fails, the earlier ones stay, with their rights.
 * Returns the names of those that it ran.
 */
export async function migrate(orm: MikroORM, { url, runtime, log, lockAttempts }: Migrating): Promise<string[]> {
  const client = new pg.Client({ connectionString: url, application_name: 'quittance migrate', ...clientLossDetection })
  await client.connect()
  try {
    await enableLossDetection(client)
    await client.query('select pg_advisory_lock($1)', [migrationLock])
    const grant = async () => runtime && grantRuntimeRights(client, runtime)
    const options = { client, log: log ?? createLogger('migrate', 'warn'), beforePause: grant, lockAttempts }
    const applied = await runPendingMigrations(orm.migrator as Migrator, options).catch(async (error: unknown) => {
      await grant().catch(() => {})
      throw error
    })
    await grant()
    return applied
  } finally {
    await client.end()
  }
}

/** @throws Error that names the missing migrations, for a role that may not run them. */
export async function assertMigrated(orm: MikroORM): Promise<void> {
  const pending = await pendingMigrations(orm)
  if (pending.length === 0) return
  throw new Error(
    `The database lacks ${pending.length} migrations (${pending.join(', ')}), and the role of DATABASE_URL may not run them. ` +
      'Run `quittance migrate` first, or set MIGRATION_DATABASE_URL.',
  )
}

async function pendingMigrations(orm: MikroORM): Promise<string[]> {
  const [{ known } = { known: false }] = await orm.em
    .getConnection()
    .execute<{ known: boolean }[]>(`select to_regclass('public.migrations') is not null as known`)
  const migrator = orm.migrator as Migrator
  // Querying them would create the table.
  if (!known) return ['all of them']
  return (await migrator.getPending()).map(({ name }) => name)
}

/** Whether the role of the pool may change the schema: then permanent rows are protected only by triggers, which it can disable. */
export async function canChangeSchema(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query<{ creates: boolean }>(`select has_schema_privilege('public', 'create') as creates`)
  return rows[0]?.creates ?? false
}

/** Returns the role in a URL. */
export function readRole(url: string): string {
  return decodeURIComponent(new URL(url).username)
}
