import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { withoutEmptySettings } from '@quittance/runtime/config'
import type { ReadyFile } from '@quittance/testing/ready-file'
import { Client } from 'pg'
import { findNatsUrl } from './target-options.ts'

/** Returns the databases that are reachable from here: named ones, and those of a local instance if it is the target. */
export function reachableDatabases(target: { data?: string | undefined; nats?: string | undefined }): { invoices: string | null } {
  const { DATABASE_URL_INVOICES: named } = withoutEmptySettings(process.env)
  if (named) return { invoices: named }
  const file = join(target.data ?? '.quittance', 'instance.json')
  if (findNatsUrl(target) !== undefined || !existsSync(file)) return { invoices: null }
  const { postgres_url: superuser } = JSON.parse(readFileSync(file, 'utf8')) as ReadyFile
  return { invoices: superuser && new URL('/invoices', superuser).href }
}

/** Lists invoices whose document could not be generated in any attempt. They are retried when the seller requests them again. */
export async function listFailedInvoices(url: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query(
      `select id, organization_id, order_id, number, attempts, last_error, requested_at from invoices where status = 'failed' order by requested_at`,
    )
    return rows
  } finally {
    await client.end()
  }
}
