import { withoutEmptySettings } from '@quittance/runtime/config'
import { migrateDatabase } from '@quittance/runtime/database'
import { readRole } from '@quittance/runtime/internal/database/migrate'
import { database as auth } from '@quittance/auth/database'
import { database as invoices } from '@quittance/invoices/database'
import { database as mail } from '@quittance/mail/database'
import { database as orders } from '@quittance/orders/database'
import { database as usage } from '@quittance/usage/database'
import { database as webhooks } from '@quittance/webhooks/database'
import { readArguments } from '../cli/arguments.ts'
import { UsageError, type Command } from '../cli/command.ts'

const definitions = { auth, orders, invoices, webhooks, mail, usage }

export const migrate: Command = {
  name: 'migrate',
  summary: 'Migrate databases to the newest schema, and grant the services’ roles their rights.',
  help: `Usage: DATABASE_URL_‹SERVICE›=URL MIGRATION_DATABASE_URL_‹SERVICE›=URL … npm run quittance -- migrate

Migrates every database that is named by DATABASE_URL_AUTH, DATABASE_URL_ORDERS, DATABASE_URL_INVOICES, DATABASE_URL_WEBHOOKS, DATABASE_URL_MAIL and DATABASE_URL_USAGE, with the role of
MIGRATION_DATABASE_URL_‹SERVICE›, which owns the schema; the role of DATABASE_URL_‹SERVICE› gets only the rights that the running service
needs. Without the second URL the role of the first one migrates. Safe to run while services run, and several times at once.

Example: MIGRATION_DATABASE_URL_ORDERS=postgres://orders:one@db.internal/orders \\
  DATABASE_URL_ORDERS=postgres://orders_runtime:two@db.internal/orders npm run quittance -- migrate`,
  async run(args) {
    readArguments(args, {})
    const environment = withoutEmptySettings(process.env)
    const named = Object.entries(definitions).flatMap(([name, definition]) => {
      const url = environment[`DATABASE_URL_${name.toUpperCase()}`]
      const migrationUrl = environment[`MIGRATION_DATABASE_URL_${name.toUpperCase()}`]
      return url ? [{ name, definition, url: migrationUrl ?? url, runtimeRole: migrationUrl && readRole(url) }] : []
    })
    if (!named.length) throw new UsageError('No DATABASE_URL_‹SERVICE› is set.')
    for (const { name, definition, url, runtimeRole } of named) {
      const applied = await migrateDatabase(definition, { url, runtimeRole }).catch((error: Error) => {
        throw new Error(`${name}: ${error.message}`, { cause: error })
      })
      console.log(applied.length === 0 ? `${name}: up to date` : `${name}: applied ${applied.join(', ')}`)
    }
  },
}
