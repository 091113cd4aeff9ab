import { createHash, randomUUID } from 'node:crypto'
import { migrateDatabase, type DatabaseDefinition } from '@quittance/runtime/database'
import type { WorkContext } from '@quittance/runtime/handler'
import { createLogger } from '@quittance/runtime/logger'
import { Client, Pool, type ClientBase } from 'pg'
import { inject } from 'vitest'
import { denyLargeObjects, ensureRole } from './engines/service-database.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    postgresUrl: string
    natsHost: string
  }
}

/** A separate database for one test, cloned in milliseconds from a migrated template. */
export interface TestDatabase {
  /** URL of the superuser, for direct reads and changes by a test. */
  url: string
  /** URL of the runtime role of a service. */
  runtimeUrl: string
  /** URL of the role that owns the schema. */
  migrationUrl: string
  drop(): Promise<void>
}

/** The two roles of every service under test; the password is the name. */
const roles = { migrator: 'test_migrator', runtime: 'test_runtime' }

/** Key of the advisory lock under which a template is created: several workers may need the same one at the same time. */
const templateLock = 7_201_121

/** Templates that this worker knows, by service and version. */
const templates = new Map<string, Promise<void>>()

export async function cloneDatabase(service: string, definition: DatabaseDefinition): Promise<TestDatabase> {
  const server = new URL(inject('postgresUrl'))
  const template = templateName(service, definition)
  const ready = templates.get(template) ?? ensureTemplate(template, { definition, server })
  templates.set(template, ready)
  await ready
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await administration().query(`create database ${name} template ${template} strategy file_copy owner ${roles.migrator}`)
  await administration().query(`revoke all on database ${name} from public; grant connect on database ${name} to ${roles.runtime}`)
  return {
    url: databaseUrl(server, name),
    runtimeUrl: databaseUrl(server, name, roles.runtime),
    migrationUrl: databaseUrl(server, name, roles.migrator),
    async drop() {
      await administration().query(`drop database if exists ${name} with (force)`)
    },
  }
}

let administrationPool: Pool | undefined

/** Connection of the superuser, shared by the tests of a worker: to open one takes longer than to create a database. */
function administration(): Pool {
  if (administrationPool) return administrationPool
  administrationPool = new Pool({ connectionString: inject('postgresUrl'), max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true })
  // Some tests end every connection.
  administrationPool.on('error', () => {})
  return administrationPool
}

/** Connects as one role, to test what it may and may not do; the caller closes the connection. */
export async function connectTo(url: string): Promise<Client> {
  const client = new Client({ connectionString: url })
  await client.connect()
  return client
}

/** Returns a database as it was before a migration, given by the end of its name. */
export function definitionBefore(definition: DatabaseDefinition, migrationName: string): DatabaseDefinition {
  const position = definition.migrations.findIndex(({ name }) => name.endsWith(migrationName))
  if (position === -1) throw new Error(`There is no migration ${migrationName}`)
  return { ...definition, migrations: definition.migrations.slice(0, position) }
}

/** Returns the context of a transaction that a test runs itself. It logs nothing. */
export function silentWork(): WorkContext {
  return { now: new Date(), log: createLogger('test', 'silent'), traceparent: `00-${'1'.repeat(32)}-${'1'.repeat(16)}-00` }
}

function templateName(service: string, { migrations }: DatabaseDefinition): string {
  const names = migrations.map(({ name }) => name).join()
  return `template_${service}_${createHash('sha256').update(names).digest('hex').slice(0, 12)}`
}

interface TemplateOptions {
  definition: DatabaseDefinition
  server: URL
}

/** Creates a template that is missing. */
async function ensureTemplate(template: string, options: TemplateOptions): Promise<void> {
  const admin = await administration().connect()
  try {
    await admin.query('select pg_advisory_lock($1)', [templateLock])
    const existing = await admin.query('select from pg_database where datname = $1', [template])
    if (!existing.rowCount) await createTemplate(admin, { ...options, template })
    await admin.query('select pg_advisory_unlock($1)', [templateLock])
    admin.release()
  } catch (error) {
    templates.delete(template)
    // Ends its lock with it.
    admin.release(true)
    throw error
  }
}

async function createTemplate(admin: ClientBase, { template, definition, server }: TemplateOptions & { template: string }): Promise<void> {
  const unfinished = `${template}_new`
  await admin.query(`drop database if exists ${unfinished} with (force)`)
  for (const name of Object.values(roles)) await ensureRole(admin, { name, password: name })
  await admin.query(`create database ${unfinished} owner ${roles.migrator}`)
  await denyLargeObjects(databaseUrl(server, unfinished))
  await migrateDatabase(definition, { url: databaseUrl(server, unfinished, roles.migrator), runtimeRole: roles.runtime })
  await admin.query(`alter database ${unfinished} rename to ${template}`)
}

function databaseUrl(server: URL, database: string, role?: string): string {
  const url = new URL(server)
  url.pathname = `/${database}`
  if (role) Object.assign(url, { username: role, password: role })
  return url.href
}
