import { MikroORM, type Options } from '@mikro-orm/postgresql'
import { Migrator, type Migration } from '@mikro-orm/migrations'
import { ResourceNotFound } from '@quittance/contracts/errors'
import pg from 'pg'
import { clientLossDetection, serverLossDetection } from './connection-loss.ts'
import type { Logger } from '../process/logger.ts'
import { assertMigrated, canChangeSchema, migrate, readRole } from './migrate.ts'
import { createOutboxNotifier, type OutboxNotifier } from './outbox-notifier.ts'
import { migrationLockMs } from './pending-migrations.ts'
import { executeBatch } from './statement-batch.ts'
import type { RuntimeRights } from './runtime-rights.ts'
import type { Execute } from '@quittance/sql/view'

/** Entities and migrations of a service, oldest migration first. */
export interface DatabaseDefinition {
  entities: NonNullable<Options['entities']>
  migrations: readonly { name: string; class: new (...parameters: never[]) => Migration }[]
  /** Rights of the runtime role that differ from those on ordinary tables. */
  rights?: RuntimeRights
  /** PostgreSQL settings of the connections of the service; migrations run without them. */
  settings?: Readonly<Record<string, string>>
}

/** Steps of a service that run at a point of its transactions; `handlers/reactions.ts` has the typed form. */
export interface RegisteredReaction {
  point: { name: string }
  steps: readonly ((context: never, payload: never) => Promise<void> | void)[]
}

/** The open database of a service. */
export interface Database {
  orm: MikroORM
  pool: pg.Pool
  url: string
  /** Runs a named prepared statement on the pool. */
  execute: Execute
  outboxNotifier: OutboxNotifier
  /** Reactions of the service, run inside its transactions. */
  reactions: readonly RegisteredReaction[]
  /** Whether the role may change the schema, and so disable the protection of permanent rows. */
  mayChangeSchema: boolean
  close(): Promise<void>
}

/**
 * Time limits of every connection, in milliseconds, below the deadline of a request (10 s): a statement whose caller has timed out must not hold
 * a connection of the pool. Migrations have separate limits.
 */
export const databaseLimits = { statement: 8_000, lock: 5_000, idleTransaction: 9_000 } as const

/**
 * Time after which a connection is ended if a statement has no result: the server vanished while it ran. Well above the limit of a statement,
 * because statements that are sent together wait for each other.
 */
const resultLimitMs = 30_000

/** A migration may run for long, but not wait for a lock. */
const migrationLimits = { statement: 0, lock: migrationLockMs, idleTransaction: 0 } as const

type Limits = Record<keyof typeof databaseLimits, number>

/** A connection that nothing used for this long is closed. The next one reads the catalog and plans every statement again. */
const idleConnectionMs = 60_000

interface DatabaseOptions {
  /** URL with the runtime role of the service. */
  url: string
  poolMax: number
  /**
   * URL with the role that owns the schema. Without it, or with the same role, `url` migrates if it may; otherwise the schema must be up to
   * date.
   */
  migrationUrl?: string | undefined
  /** None by default. */
  reactions?: readonly RegisteredReaction[] | undefined
  log?: Logger
}

/** Filter of entities owned by an organization, spread into their `filters`; a query without the caller's organizations fails. */
export const organizationFilter = {
  organization: {
    name: 'organization',
    cond: (parameters: Record<string, unknown>) => ({ organizationId: { $in: parameters['ids'] } }),
    default: true,
    args: true,
  },
}

/**
 * Filter of entities owned by a customer: callers of kind `customer` find that customer's rows, other callers are not restricted. A session
 * bound to a checkout finds the rows that match `ofCheckout`, which every such entity must define.
 */
export function customerFilter(ofCheckout: (checkoutId: string) => Readonly<Record<string, unknown>>) {
  return {
    customer: {
      name: 'customer',
      cond({ id, checkout }: Record<string, unknown>) {
        if (!id) return {}
        return { customerId: id, ...(typeof checkout === 'string' ? ofCheckout(checkout) : {}) }
      },
      default: true,
      args: true,
    },
  }
}

/** Migrates under an advisory lock, connects, and returns the open database. */
export async function openDatabase(definition: DatabaseDefinition, options: DatabaseOptions): Promise<Database> {
  const { url, poolMax, migrationUrl, reactions = [], log } = options
  const hasSeparateOwner = migrationUrl !== undefined && readRole(migrationUrl) !== readRole(url)
  if (hasSeparateOwner) await migrateDatabase(definition, { url: migrationUrl, runtimeRole: readRole(url), log })
  const orm = await openOrm(definition, { url, poolMax, limits: databaseLimits, settings: definition.settings ?? {} })
  const pool = await orm.em.getConnection().getNativeClient()
  const isOwner = await canChangeSchema(pool)
  if (isOwner && !hasSeparateOwner) await migrateDatabase(definition, { url, log })
  else await assertMigrated(orm)
  return {
    orm,
    pool,
    url,
    execute: executeOnPool(pool),
    outboxNotifier: createOutboxNotifier(pool),
    reactions,
    mayChangeSchema: isOwner,
    close: () => orm.close(true),
  }
}

interface MigrateOptions {
  url: string
  runtimeRole?: string | undefined
  /** Receives warnings about migrations that wait for a lock. */
  log?: Logger | undefined
  /** Maximum attempts of a migration to get its locks. */
  lockAttempts?: number
}

/**
 * Migrates a database to the newest schema as its owner, and grants the runtime role its rights. May run while services are running and
 * concurrently. Without a runtime role nothing is granted. Returns the names of the migrations that ran, oldest first.
 */
export async function migrateDatabase(definition: DatabaseDefinition, options: MigrateOptions): Promise<string[]> {
  const { url, runtimeRole, log, lockAttempts } = options
  // Migrations are SQL and need no entities.
  const orm = await openOrm({ ...definition, entities: [] }, { url, poolMax: 2, limits: migrationLimits, settings: {} })
  try {
    const isOther = runtimeRole !== undefined && runtimeRole !== readRole(url)
    return await migrate(orm, { url, runtime: isOther ? { role: runtimeRole, rights: definition.rights ?? {} } : null, log, lockAttempts })
  } finally {
    await orm.close(true)
  }
}

interface OrmOptions {
  url: string
  poolMax: number
  limits: Limits
  settings: Readonly<Record<string, string>>
}

function openOrm(definition: DatabaseDefinition, { url, poolMax, limits, settings }: OrmOptions): Promise<MikroORM> {
  const { statement, lock, idleTransaction } = limits
  const more = Object.entries({ ...serverLossDetection, ...settings }).map(([name, value]) => ` -c ${name}=${value}`)
  return MikroORM.init({
    clientUrl: url,
    entities: definition.entities,
    pool: { min: 0, max: poolMax, idleTimeoutMillis: idleConnectionMs },
    driverOptions: {
      application_name: 'quittance',
      ...clientLossDetection,
      ...(statement > 0 && { query_timeout: resultLimitMs }),
      options: `-c timezone=UTC -c statement_timeout=${statement} -c lock_timeout=${lock} -c idle_in_transaction_session_timeout=${idleTransaction}${more.join('')}`,
      // Statements do not wait for the result of the previous one (`database-transaction.ts`).
      pipeline: true,
    },
    extensions: [Migrator],
    migrations: {
      migrationsList: [...definition.migrations] as never,
      snapshot: false,
      disableForeignKeys: false,
      // One transaction for each, so that no lock is held until the last one has run.
      allOrNothing: false,
      tableName: 'migrations',
    },
    findOneOrFailHandler: () => new ResourceNotFound(),
    forceUtcTimezone: true,
    debug: false,
    logger: () => {},
    discovery: { warnWhenNoEntities: false },
  })
}

function executeOnPool(pool: pg.Pool): Execute {
  return async ({ name, text }, values) => {
    const client = await pool.connect()
    try {
      const [result] = await executeBatch(client, [{ name, text, values }])
      client.release()
      return result?.rows ?? []
    } catch (error) {
      // An error that is not the server's is one of the connection, which the pool may not know to be broken yet.
      client.release(!(error instanceof pg.DatabaseError))
      throw error
    }
  }
}
