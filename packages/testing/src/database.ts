import { createHash, randomUUID } from 'node:crypto'
import { migrateDatabase, type DatabaseDefinition } from '@quittance/runtime/database'
import { Client } from 'pg'
import { inject } from 'vitest'
import { ensureRole } from './engines/service-database.ts'

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

export async function cloneDatabase(service: string, definition: DatabaseDefinition): Promise<TestDatabase> {
  const server = new URL(inject('postgresUrl'))
  const admin = new Client({ connectionString: server.href })
  await admin.connect()
  try {
    const template = await ensureTemplate(admin, { service, definition, server })
    const name = `test_${randomUUID().replaceAll('-', '')}`
    await admin.query(`create database ${name} template ${template} strategy file_copy owner ${roles.migrator}`)
    await admin.query(`revoke all on database ${name} from public; grant connect on database ${name} to ${roles.runtime}`)
    return {
      url: databaseUrl(server, name),
      runtimeUrl: databaseUrl(server, name, roles.runtime),
      migrationUrl: databaseUrl(server, name, roles.migrator),
      drop: () => drop(server, name),
    }
  } finally {
    await admin.end()
  }
}

/** Connects as one role, to test what it may and may not do; the caller closes the connection. */
export async function connectTo(url: string): Promise<Client> {
  const client = new Client({ connectionString: url })
  await client.connect()
  return client
}

interface TemplateOptions {
  service: string
  definition: DatabaseDefinition
  server: URL
}

async function ensureTemplate(admin: Client, { service, definition, server }: TemplateOptions): Promise<string> {
  const version = createHash('sha256')
    .update(definition.migrations.map(({ name }) => name).join())
    .digest('hex')
    .slice(0, 12)
  const template = `template_${service}_${version}`
  await admin.query('select pg_advisory_lock($1)', [templateLock])
  const existing = await admin.query('select from pg_database where datname = $1', [template])
  if (!existing.rowCount) {
    const unfinished = `${template}_new`
    await admin.query(`drop database if exists ${unfinished} with (force)`)
    for (const name of Object.values(roles)) await ensureRole(admin, { name, password: name })
    await admin.query(`create database ${unfinished} owner ${roles.migrator}`)
    await migrateDatabase(definition, { url: databaseUrl(server, unfinished, roles.migrator), runtimeRole: roles.runtime })
    await admin.query(`alter database ${unfinished} rename to ${template}`)
  }
  await admin.query('select pg_advisory_unlock($1)', [templateLock])
  return template
}

function databaseUrl(server: URL, database: string, role?: string): string {
  const url = new URL(server)
  url.pathname = `/${database}`
  if (role) Object.assign(url, { username: role, password: role })
  return url.href
}

async function drop(server: URL, name: string): Promise<void> {
  const admin = new Client({ connectionString: server.href })
  await admin.connect()
  await admin.query(`drop database if exists ${name} with (force)`)
  await admin.end()
}
