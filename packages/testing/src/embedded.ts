import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startNatsServer } from './engines/nats-server.ts'
import { startPostgres } from './engines/postgres.ts'
import { natsAccounts, type TestServers } from './test-servers.ts'

/** The servers `npm start` uses, on a folder that is gone afterwards. */
export async function startEmbedded(): Promise<TestServers> {
  const folder = await mkdtemp(join(tmpdir(), 'quittance-test-'))
  const [postgres, nats] = await Promise.all([
    startPostgres({ dataDir: join(folder, 'postgres'), fast: true, maxConnections: 300 }),
    startNatsServer({ dataDir: join(folder, 'nats'), testAccounts: natsAccounts }),
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
