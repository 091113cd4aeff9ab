import { createHash, randomUUID } from 'node:crypto'
import { openDatabase, type DatabaseDefinition } from '@quittance/runtime/database'
import { Client } from 'pg'
import { inject } from 'vitest'

/** A database of its own for one test, cloned in milliseconds from a migrated template. */
export interface TestDatabase {
  url: string
  drop(): Promise<void>
}

/** Key of the advisory lock under which a template is made: workers ask for the same one at the same time. */
const templateLock = 7_201_121

export async function cloneDatabase(service: string, definition: DatabaseDefinition): Promise<TestDatabase> {
  const server = new URL(inject('postgresUrl'))
  const admin = new Client({ connectionString: server.href })
  await admin.connect()
  try {
    const template = await ensureTemplate(admin, { service, definition, server })
    const name = `test_${randomUUID().replaceAll('-', '')}`
    await admin.query(`create database ${name} template ${template}`)
    return { url: urlOf(server, name), drop: () => drop(server, name) }
  } finally {
    await admin.end()
  }
}

interface TemplateOrder {
  service: string
  definition: DatabaseDefinition
  server: URL
}

async function ensureTemplate(admin: Client, { service, definition, server }: TemplateOrder): Promise<string> {
  const version = createHash('sha256')
    .update(definition.migrations.map(({ name }) => name).join())
    .digest('hex')
    .slice(0, 12)
  const template = `template_${service}_${version}`
  await admin.query('select pg_advisory_lock($1)', [templateLock])
  const known = await admin.query('select from pg_database where datname = $1', [template])
  if (!known.rowCount) {
    const unfinished = `${template}_new`
    await admin.query(`drop database if exists ${unfinished} with (force)`)
    await admin.query(`create database ${unfinished}`)
    const migrated = await openDatabase(definition, { url: urlOf(server, unfinished), poolMax: 2 })
    await migrated.close()
    await admin.query(`alter database ${unfinished} rename to ${template}`)
  }
  await admin.query('select pg_advisory_unlock($1)', [templateLock])
  return template
}

function urlOf(server: URL, database: string): string {
  const url = new URL(server)
  url.pathname = `/${database}`
  return url.href
}

async function drop(server: URL, name: string): Promise<void> {
  const admin = new Client({ connectionString: server.href })
  await admin.connect()
  await admin.query(`drop database if exists ${name} with (force)`)
  await admin.end()
}
