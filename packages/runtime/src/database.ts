import { MikroORM, type Options } from '@mikro-orm/postgresql'
import { Migrator, type Migration } from '@mikro-orm/migrations'
import { ResourceNotFound } from '@quittance/contracts/errors'
import pg from 'pg'
import { NamingClient } from './naming-client.ts'
import { createOutboxBell, type OutboxBell } from './outbox-bell.ts'
import { send } from './packet.ts'
import type { Execute } from './view.ts'

/** What a service keeps: its entities and its migrations, oldest first. */
export interface DatabaseDefinition {
  entities: NonNullable<Options['entities']>
  migrations: readonly { name: string; class: new (...parameters: never[]) => Migration }[]
}

/** The open database of a service. */
export interface Database {
  orm: MikroORM
  pool: pg.Pool
  url: string
  /** Named prepared statements on the pool. */
  execute: Execute
  bell: OutboxBell
  close(): Promise<void>
}

/** Every organization-owned entity spreads this into its `filters`; a query without a caller's organizations fails. */
export const organizationFilter = {
  organization: {
    name: 'organization',
    cond: (parameters: Record<string, unknown>) => ({ organizationId: { $in: parameters['ids'] } }),
    default: true,
    args: true,
  },
}

/** A customer-owned entity spreads this too: callers of kind `customer` find what is that customer's, others are not narrowed. */
export const customerFilter = {
  customer: {
    name: 'customer',
    cond: (parameters: Record<string, unknown>) => (parameters['id'] ? { customerId: parameters['id'] } : {}),
    default: true,
    args: true,
  },
}

/** Key of the advisory lock under which migrations run; any constant, the same for every replica. */
const migrationLock = 7_201_120

/** Connects, migrates under an advisory lock, and gives what the rest of the chassis needs. */
export async function openDatabase(definition: DatabaseDefinition, { url, poolMax }: { url: string; poolMax: number }): Promise<Database> {
  const orm = await MikroORM.init({
    clientUrl: url,
    entities: definition.entities,
    pool: { min: 0, max: poolMax },
    driverOptions: {
      application_name: 'quittance',
      connectionTimeoutMillis: 5_000,
      options: '-c timezone=UTC',
      Client: NamingClient,
      // Statements need not wait for the answer to the one before (`transact.ts`).
      pipeline: true,
    },
    extensions: [Migrator],
    migrations: {
      migrationsList: [...definition.migrations] as never,
      snapshot: false,
      disableForeignKeys: false,
      tableName: 'migrations',
    },
    findOneOrFailHandler: () => new ResourceNotFound(),
    forceUtcTimezone: true,
    debug: false,
    logger: () => {},
    discovery: { warnWhenNoEntities: false },
  })
  await migrate(orm, url)
  const pool = await orm.em.getConnection().getNativeClient()
  return { orm, pool, url, execute: onPool(pool), bell: createOutboxBell(pool), close: () => orm.close(true) }
}

/** The migrator itself takes no lock: replicas that start together would run the same migration twice. */
async function migrate(orm: MikroORM, url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: 'quittance migrate' })
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [migrationLock])
    await orm.migrator.up()
  } finally {
    await client.end()
  }
}

function onPool(pool: pg.Pool): Execute {
  return async ({ name, text }, values) => {
    const client = await pool.connect()
    try {
      const [answer] = await send(client, [{ name, text, values }])
      return answer?.rows ?? []
    } finally {
      // The pool itself drops a connection that broke.
      client.release()
    }
  }
}
