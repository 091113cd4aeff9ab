import { openDatabase } from '@quittance/runtime/database'
import { database as auth } from '@quittance/auth/database'
import { database as invoices } from '@quittance/invoices/database'
import { database as orders } from '@quittance/orders/database'
import { database as webhooks } from '@quittance/webhooks/database'
import { readArguments } from './arguments.ts'
import { UsageError, type Command } from './command.ts'

const definitions = { auth, orders, invoices, webhooks }

export const migrate: Command = {
  name: 'migrate',
  summary: 'Bring databases to the newest schema. Services do the same when they start.',
  help: `Usage: DATABASE_URL_‹SERVICE›=URL … npm run quittance -- migrate

Migrates every database that is named by DATABASE_URL_AUTH, DATABASE_URL_ORDERS, DATABASE_URL_INVOICES and DATABASE_URL_WEBHOOKS.
May run while services are at work and several times at once.

Example: DATABASE_URL_ORDERS=postgres://orders:secret@db.internal/orders npm run quittance -- migrate`,
  async run(args) {
    readArguments(args, {})
    const named = Object.entries(definitions).flatMap(([name, definition]) => {
      const url = process.env[`DATABASE_URL_${name.toUpperCase()}`]
      return url ? [{ name, definition, url }] : []
    })
    if (!named.length) throw new UsageError('No DATABASE_URL_‹SERVICE› is set.')
    for (const { name, definition, url } of named) {
      const database = await openDatabase(definition, { url, poolMax: 2 })
      await database.close()
      console.log(`${name}: up to date`)
    }
  },
}
