import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { writeJsonFile } from '@quittance/testing/engines/json-file'
import { startPostgres } from '@quittance/testing/engines/postgres'
import { ensureDatabases } from '@quittance/testing/engines/service-database'
import { databaseOwners } from '@quittance/tools/secrets/secret-list'

const root = join(import.meta.dirname, '..')
/** Systems replace it with their own. */
const password = 'prepared'

/**
 * Creates a cluster with the migrated databases of all services in a folder, for systems to copy (`startSystem`): creating and migrating one
 * costs a third of the CPU of a start.
 */
export async function prepareCluster(folder: string): Promise<void> {
  // Each system adds its own. Without the file, the cluster would be one whose secrets are lost.
  writeJsonFile(join(folder, 'secrets.json'), {})
  const postgres = await startPostgres({ dataDir: join(folder, 'postgres') })
  try {
    const owners = databaseOwners.map((name) => ({ name, password }))
    await ensureDatabases(postgres.url('postgres'), owners)
    const urls = databaseOwners.map((name) => [`DATABASE_URL_${name.toUpperCase()}`, postgres.url(name, { user: name, password })])
    await promisify(execFile)(process.execPath, ['tools/src/quittance.ts', 'migrate'], {
      cwd: root,
      env: { ...process.env, ...Object.fromEntries(urls) },
    })
  } finally {
    await postgres.stop()
  }
}
