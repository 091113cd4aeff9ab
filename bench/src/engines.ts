import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startNatsServer, type NatsServer } from '@quittance/testing/engines/nats-server'
import { startPostgres, type Postgres } from '@quittance/testing/engines/postgres'

/** The servers of one run, for all contenders. */
export interface Engines extends AsyncDisposable {
  folder: string
  postgres: Postgres
  nats: NatsServer
}

/** Starts PostgreSQL and NATS here and not in the system under test, because their process ids are needed and peers use them too. */
export async function startEngines(): Promise<Engines> {
  const folder = mkdtempSync(join(tmpdir(), 'quittance-bench-'))
  const stack = new AsyncDisposableStack()
  stack.defer(() => rmSync(folder, { recursive: true, force: true }))
  try {
    const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), fast: true })
    stack.defer(() => postgres.stop())
    // The account `w0` is for peers: the users of the system may publish on its own subjects only.
    const nats = await startNatsServer({ dataDir: join(folder, 'nats'), testAccounts: 1 })
    stack.defer(() => nats.stop())
    return { folder, postgres, nats, [Symbol.asyncDispose]: () => stack.disposeAsync() }
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
}
