import { Migration } from '@mikro-orm/migrations'

/** A migration from a list of SQL statements, each as a DBA would write it. Forward only. */
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
