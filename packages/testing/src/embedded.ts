import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createDisposableFolder } from './engines/disposable-folder.ts'
import { startNatsServer } from './engines/nats-server.ts'
import { startPostgres } from './engines/postgres.ts'
import { maxNatsAccounts, type TestServers } from './test-servers.ts'

/** Starts the servers of `npm start` with a temporary folder. */
export async function startEmbedded(): Promise<TestServers> {
  const folder = createDisposableFolder('engines')
  const [postgres, nats] = await Promise.all([
    startPostgres({ dataDir: join(folder, 'postgres'), fast: true, maxConnections: 300 }),
    startNatsServer({ dataDir: join(folder, 'nats'), testAccounts: maxNatsAccounts }),
  ])
  return {
    postgresUrl: postgres.url('postgres'),
    natsHost: `127.0.0.1:${nats.port}`,
    async stop() {
      await Promise.all([postgres.stop(), nats.stop()])
      await rm(folder, { recursive: true, force: true })
    },
  }
}
