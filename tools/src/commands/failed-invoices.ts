import { withoutEmptySettings } from '@quittance/runtime/config'
import { Client } from 'pg'
import { findInstance, findNatsUrl } from './target-options.ts'

/** Returns the databases that are reachable from here: named ones, and those of a local instance if it is the target. */
export function reachableDatabases(target: { data?: string | undefined; nats?: string | undefined }): { invoices: string | null } {
  const { DATABASE_URL_INVOICES: named } = withoutEmptySettings(process.env)
  if (named) return { invoices: named }
  const instance = findNatsUrl(target) === undefined ? findInstance(target.data) : null
  // The embedded server may still have a database of an earlier start.
  const external = instance?.external_databases?.invoices
  if (external) return { invoices: external }
  return { invoices: instance?.postgres_url ? new URL('/invoices', instance.postgres_url).href : null }
}

/** Lists invoices whose document could not be generated in any attempt. They are retried after six hours, or when the seller requests them again. */
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
