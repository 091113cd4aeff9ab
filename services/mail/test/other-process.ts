import { spawn, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import type { TestMail } from './start-mail.ts'

/** Starts the service as a separate process, on the database and the account of a test service. */
export function startProcess({ config }: TestMail, { smtpUrl, leaseMs }: { smtpUrl: string; leaseMs: number }): ChildProcess {
  const settings = Object.entries(config).map(([name, value]) => [name, String(value)])
  const env = { ...process.env, ...Object.fromEntries(settings), SMTP_URL: smtpUrl, HEALTH_PORT: '0', JOB_LEASE_MS: `${leaseMs}` }
  return spawn(process.execPath, [join(import.meta.dirname, '../src/main.ts')], { env, stdio: 'ignore' })
}

/** Limits the connections of all roles but the superuser to the database: 0 makes it unavailable to new ones, -1 ends the limit. */
export async function limitConnections(mail: TestMail, limit: 0 | -1): Promise<void> {
  await mail.rows(`do $$ begin execute format('alter database %I connection limit ${limit}', current_database()); end $$`)
}
