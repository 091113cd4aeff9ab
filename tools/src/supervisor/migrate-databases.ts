import { execFile } from 'node:child_process'
import { join } from 'node:path'
import type { Databases } from './engines.ts'

const command = join(import.meta.dirname, '..', 'quittance.ts')
const withinMs = 600_000

interface Migrating {
  urls: Partial<Databases['urls']>
  migrationUrls: Databases['migrationUrls']
}

/**
 * Migrates all databases in a separate process, before the first service starts: services know only the role that they run with, not the
 * one that owns the schema. Rejects with the last output of the process.
 */
export async function migrateDatabases({ urls, migrationUrls }: Migrating): Promise<void> {
  if (Object.keys(urls).length === 0) return
  const named = (prefix: string, of: Partial<Record<string, string>>) =>
    Object.entries(of).flatMap(([owner, url]) => (url ? [[`${prefix}_${owner.toUpperCase()}`, url]] : []))
  const { PATH, HOME, NODE_COMPILE_CACHE, NODE_EXTRA_CA_CERTS } = process.env
  const env = {
    PATH,
    HOME,
    NODE_COMPILE_CACHE,
    NODE_EXTRA_CA_CERTS,
    ...Object.fromEntries([...named('DATABASE_URL', urls), ...named('MIGRATION_DATABASE_URL', migrationUrls)]),
  }
  await new Promise<void>((resolve, reject) => {
    execFile(process.execPath, [command, 'migrate'], { env, timeout: withinMs }, (error, _, stderr) => {
      if (error) reject(new Error(`The databases could not be migrated: ${stderr.trim() || error.message}`))
      else resolve()
    })
  })
}
