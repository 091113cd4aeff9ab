/**
 * Checks every named statement of the services against the schema that their migrations create in an embedded PostgreSQL: the statement is
 * valid, those of `sql` compare with the scope, their rows have the columns, types and nullability of the row type in the call, and none chooses
 * partitions beside locks. Nothing is run.
 */
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { migrateDatabase, type DatabaseDefinition } from '@quittance/runtime/database'
import { statement } from '@quittance/sql/statement'
import { startPostgres, type Postgres } from '@quittance/testing/engines/postgres'
import pg from 'pg'
import { compareRow } from './statements/compare-row.ts'
import { createDescriber, type ResultColumn } from './statements/describe-statement.ts'
import { collectorName, findStatements, instrument, type StatementUse } from './statements/find-statements.ts'
import { createPruningFinder } from './statements/partition-pruning.ts'
import { readRowType } from './statements/read-row-type.ts'

const root = join(import.meta.dirname, '../..')
const services = ['auth', 'orders', 'invoices', 'webhooks', 'mail', 'usage']

/** Files whose texts are built inside of a function, with the reason; they are not checked here. */
const unreadable: Readonly<Record<string, string>> = {
  'packages/sql/src/sql-runner.ts': 'compiles the statements of others',
  'packages/sql/src/view-reader.ts': 'builds the statements of views',
  'packages/runtime/src/jobs/reseal-secrets.ts': 'one statement for each column',
  'services/auth/src/provider/commit-token-request.ts': 'one statement for the tables of a request',
  'services/auth/src/provider/sweep.ts': 'one statement for several tables',
  'services/auth/src/provider/token-store.ts': 'one statement for several tables',
  'services/auth/src/second-factors/second-factors.ts': 'one statement for several tables',
  'services/invoices/src/permanence/verify-chains.ts': 'one statement for each chain',
}

interface Counts {
  valid: number
  typed: number
  /** Row types that the syntax does not show. */
  opaque: number
  /** Texts of `unreadable` files. */
  unread: number
}

/** Texts by module and position of the call; a module is loaded once. */
const texts = new Map<string, (string | null)[]>()

Object.assign(globalThis, {
  [collectorName](url: string, index: number, text: unknown) {
    const collected = texts.get(url) ?? []
    texts.set(url, collected)
    collected[index] = typeof text === 'string' ? text : null
  },
})
registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    if (!isChecked(url) || loaded.source === null || loaded.source === undefined) return loaded
    const source = typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source)
    return { ...loaded, source: instrument(fileURLToPath(url), source) }
  },
})

function isChecked(url: string): boolean {
  return (
    url.startsWith(pathToFileURL(root).href) && /\/(services\/[^/]+|packages\/runtime)\/src\/.*\.ts$/.test(url) && !url.includes('.test.')
  )
}

interface Check {
  describe(text: string): Promise<ResultColumn[]>
  isPruned(text: string): Promise<boolean>
  counts: Counts
}

/** Returns the problems of one statement. */
async function checkStatement(path: string, use: StatementUse & { sql: string }, { describe, isPruned, counts }: Check): Promise<string[]> {
  const problems: string[] = []
  if (use.isScoped && !/= any ?\(:scope_organizations\b/.test(use.sql))
    problems.push('a statement of `sql` compares nothing with :scope_organizations by `= any`')
  try {
    const { text } = statement('checked', use.sql)
    const columns = await describe(text)
    counts.valid += 1
    if (await isPruned(text)) problems.push('a statement that locks or changes rows chooses partitions by a value that it finds')
    const declared = use.row && readRowType(use.row, path)
    if (use.row) counts[declared ? 'typed' : 'opaque'] += 1
    if (declared) problems.push(...compareRow(declared, columns))
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error))
  }
  return problems
}

/** Returns the problems of one module, which it loads. */
async function checkModule(file: string, check: Check): Promise<string[]> {
  const path = join(root, file)
  const uses = findStatements(path, readFileSync(path, 'utf8'))
  if (uses.length === 0) return []
  await import(pathToFileURL(path).href)
  const found = texts.get(pathToFileURL(path).href) ?? []
  const problems: string[] = []
  for (const [index, use] of uses.entries()) {
    const sql = found[index]
    if (typeof sql === 'string')
      problems.push(...(await checkStatement(path, { ...use, sql }, check)).map((each) => `${file}:${use.line}: ${each}`))
    else if (file in unreadable) check.counts.unread += 1
    else problems.push(`${file}:${use.line}: the text is not a constant of the module`)
  }
  return problems
}

async function checkService(service: string, postgres: Postgres): Promise<{ problems: string[]; counts: Counts }> {
  const client = new pg.Client({ connectionString: await createSchema(service, postgres) })
  await client.connect()
  const counts: Counts = { valid: 0, typed: 0, opaque: 0, unread: 0 }
  const check = { describe: await createDescriber(client), isPruned: await createPruningFinder(client), counts }
  // Every service has the tables of the runtime.
  const folders = [`services/${service}/src/**/*.ts`, ...(service === 'orders' ? ['packages/runtime/src/**/*.ts'] : [])]
  const files = globSync(folders, { cwd: root }).filter((file) => !/\.test\.ts$|\/migrations\/|\/main\.ts$|-thread\.ts$/.test(file))
  const problems: string[] = []
  for (const file of files) problems.push(...(await checkModule(file, check)))
  await client.end()
  return { problems, counts }
}

/** Migrates an empty database, and returns its URL. */
async function createSchema(service: string, postgres: Postgres): Promise<string> {
  const admin = new pg.Client({ connectionString: postgres.url('postgres') })
  await admin.connect()
  await admin.query(`create database ${service}`)
  await admin.end()
  const { database } = (await import(pathToFileURL(join(root, `services/${service}/src/database.ts`)).href)) as {
    database: DatabaseDefinition
  }
  await migrateDatabase(database, { url: postgres.url(service) })
  return postgres.url(service)
}

const folder = mkdtempSync(join(tmpdir(), 'quittance-statements-'))
const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), fast: true })
try {
  for (const service of services) {
    const { problems, counts } = await checkService(service, postgres)
    const { valid, typed, opaque, unread } = counts
    console.log(`${service}: ${valid} statements are valid, ${typed} row types compared, ${opaque} not read, ${unread} texts not read`)
    for (const problem of problems) console.error(problem)
    if (problems.length > 0) process.exitCode = 1
  }
} finally {
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}
