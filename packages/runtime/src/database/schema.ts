import { randomUUID } from 'node:crypto'
import { p } from '@mikro-orm/core'
import { Migration } from '@mikro-orm/migrations'

/** Properties of every aggregate: a v4 id, the two timestamps of the contract and a version for optimistic locking. */
export const aggregateProperties = {
  id: p
    .uuid()
    .primary()
    .onCreate(() => randomUUID()),
  createdAt: p.datetime().onCreate(() => new Date()),
  /** Null until the first change. */
  modifiedAt: p
    .datetime()
    .nullable()
    .onUpdate(() => new Date()),
  version: p.integer().version(),
}

/** Creates a migration from a list of SQL statements. Forward only. */
export function migration(name: string, statements: readonly string[]) {
  return {
    name,
    class: class extends Migration {
      override up(): void {
        for (const sql of statements) this.addSql(sql)
      }
    },
  }
}
