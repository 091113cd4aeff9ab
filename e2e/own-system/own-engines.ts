import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { natsUsers } from '@quittance/contracts/nats-users'
import { createDisposableFolder } from '@quittance/testing/engines/disposable-folder'
import { startNatsServer } from '@quittance/testing/engines/nats-server'
import { startPostgres } from '@quittance/testing/engines/postgres'
import { ensureDatabases, runtimeRole } from '@quittance/testing/engines/service-database'

/** A server that a test stops and restarts on the same port and data. */
interface ControllableServer {
  stop(): Promise<void>
  start(): Promise<void>
}

/** PostgreSQL and NATS that no supervisor restarts. */
export interface OwnEngines extends AsyncDisposable {
  /** Environment of a system that uses them. */
  env: Record<string, string>
  postgres: ControllableServer
  nats: ControllableServer
}

const databaseOwners = ['auth', 'orders', 'invoices', 'webhooks', 'mail', 'usage']
const password = 'e2e'

export async function startOwnEngines(): Promise<OwnEngines> {
  const folder = createDisposableFolder('engines')
  const launchPostgres = (port?: number) => startPostgres({ dataDir: join(folder, 'postgres'), fast: true, ...(port && { port }) })
  const launchNats = (port?: number) => startNatsServer({ dataDir: join(folder, 'nats'), ...(port && { port }) })
  let postgres = await launchPostgres()
  let nats = await launchNats()
  await ensureDatabases(
    postgres.url('postgres'),
    databaseOwners.map((name) => ({ name, password, runtimePassword: password })),
  )
  const databases = databaseOwners.flatMap((name) => [
    [`DATABASE_URL_${name.toUpperCase()}`, postgres.url(name, { user: runtimeRole(name), password })],
    [`MIGRATION_DATABASE_URL_${name.toUpperCase()}`, postgres.url(name, { user: name, password })],
  ])
  const passwords = natsUsers.map((user) => [`NATS_PASSWORD_${user.toUpperCase()}`, new URL(nats.url(user)).password])
  return {
    env: { ...Object.fromEntries([...databases, ...passwords]), NATS_URL: `nats://127.0.0.1:${nats.port}` },
    postgres: { stop: () => postgres.stop(), start: async () => void (postgres = await launchPostgres(postgres.port)) },
    nats: { stop: () => nats.stop(), start: async () => void (nats = await launchNats(nats.port)) },
    async [Symbol.asyncDispose]() {
      await Promise.all([postgres.stop(), nats.stop()])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
