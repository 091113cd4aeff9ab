import { job, type Job, type JobContext } from '../handlers/handler.ts'
import { gauge } from '../process/metrics.ts'
import { buildOtherKeysPattern, resealSecrets } from '../security/encryption.ts'

/** A column with sealed secrets. */
export interface SealedColumn {
  table: string
  column: string
  /** `text` is one secret; the others contain any number. */
  type: 'text' | 'text[]' | 'jsonb'
  /** Primary key, with its type. */
  key: readonly [name: string, type: 'uuid' | 'text']
  /** SQL of what the context of a row depends on. */
  contextOn: string
  /** Returns the context from the value of `contextOn`. */
  context(value: string): string
  /** Condition of rows that may have a secret, for an index. */
  where?: string
}

interface Options {
  columns: readonly SealedColumn[]
  /** The first seals; undefined if the service stores no secrets. */
  getKeys(): readonly Uint8Array[] | undefined
}

interface SealedRow {
  id: string
  stored: string
  context: string
}

const maxRowsPerBatch = 100

/** Numbers of rows by column, as of the last run in this process. */
const outdated = new Map<string, number>()
gauge('secrets_under_old_keys', 'Number of rows with a secret that is not sealed under the first key, by column.', {
  labels: ['column'],
  collect: (each) => outdated.forEach((count, column) => each.set({ column }, count)),
})

/**
 * Creates the job that seals stored secrets under the first key, so that the others can be dropped. It counts the rows that another key sealed
 * and changes them in small batches. A row that was changed since it was read, or is locked, stays for the next run; so does one that no key
 * opens, which is logged. Runs have no transaction: replicas may work on the same rows, and each row is changed once.
 *
 * While replicas with different first keys run, each seals the rows of the others again, once per run.
 */
export function createResealJob({ columns, getKeys }: Options): Job {
  const unreadable = new Map<string, number>()
  return job({
    name: 'reseal-secrets',
    everyMs: 60_000,
    async run(context) {
      const keys = getKeys()
      if (!keys?.[0]) return false
      const pattern = buildOtherKeysPattern(keys[0])
      for (const column of columns) {
        const name = `${column.table}.${column.column}`
        const [{ count } = { count: 0 }] = await context.systemSql<{ count: number }>(`reseal.count:${name}`, countRows(column), {
          pattern,
        })
        outdated.set(name, count)
        const failed = count > 0 ? await resealColumn(column, { name, keys, pattern, context }) : { count: 0 }
        // Not repeated every minute.
        if (failed.count > 0 && failed.count !== unreadable.get(name)) context.log.error({ column: name, ...failed }, 'secrets.unreadable')
        unreadable.set(name, failed.count)
      }
      return false
    },
  })
}

interface Run {
  name: string
  keys: readonly Uint8Array[]
  pattern: string
  context: JobContext
}

/** Seals the rows of a column in the order of their key. Returns how many no key opens, with an example. */
async function resealColumn(column: SealedColumn, { name, keys, pattern, context: { systemSql, log, isStopping } }: Run) {
  const failed: { count: number; id?: string; err?: unknown } = { count: 0 }
  let resealed = 0
  let found: SealedRow[] = []
  do {
    const after = found.at(-1)?.id ?? null
    found = await systemSql<SealedRow>(`reseal.find:${name}`, findRows(column), { pattern, after })
    const changes: (SealedRow & { sealed: string })[] = []
    for (const row of found) {
      try {
        changes.push({ ...row, sealed: resealSecrets(row.stored, { keys, context: column.context(row.context) }) })
      } catch (err) {
        Object.assign(failed, { count: failed.count + 1, id: row.id, err })
      }
    }
    const [ids, stored, sealed] = [changes.map(({ id }) => id), changes.map((row) => row.stored), changes.map((row) => row.sealed)]
    const changed = await systemSql(`reseal.store:${name}`, storeRows(column), { ids, stored, sealed })
    resealed += changed.length
    outdated.set(name, Math.max(0, (outdated.get(name) ?? 0) - changed.length))
  } while (found.length === maxRowsPerBatch && !isStopping())
  if (resealed > 0) log.info({ column: name, resealed, left: outdated.get(name) }, 'secrets.resealed')
  return failed
}

const countRows = ({ table, column, where = 'true' }: SealedColumn) =>
  `select count(*)::int as count from ${table} where ${where} and ${column}::text ~ :pattern`

const findRows = ({ table, column, key: [key, keyType], contextOn, where = 'true' }: SealedColumn) => `
  select ${key}::text as id, ${column}::text as stored, ${contextOn}::text as context from ${table}
  where ${where} and ${column}::text ~ :pattern and (:after::${keyType} is null or ${key} > :after::${keyType})
  order by ${key} limit ${maxRowsPerBatch}`

/** Compares with what was read, also after waiting: a concurrent change wins. Locked rows are skipped. */
const storeRows = ({ table, column, type, key: [key, keyType] }: SealedColumn) => `
  with changes as materialized (
    select * from unnest(:ids::${keyType}[], :stored::text[], :sealed::text[]) c (id, stored, sealed)),
  unlocked as materialized (
    select t.${key} as id from ${table} t where t.${key} = any (:ids::${keyType}[]) for update skip locked)
  update ${table} t set ${column} = c.sealed::${type}
  from changes c join unlocked u on u.id = c.id
  where t.${key} = c.id and t.${column}::text = c.stored
  returning 1`
