/** A nats-server whose store is rolled back, wiped or frozen while services use it. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomUUID } from 'node:crypto'
import { connectNats } from '@quittance/runtime/nats-connection'
import { startNatsServer, type NatsServer } from '../src/engines/nats-server.ts'
import { eventually } from '../src/eventually.ts'

/** User with all rights in an account with a separate stream. */
export const account = 'w0'

export interface FaultyStream extends AsyncDisposable {
  url: string
  /** Keeps a copy of the store as it is now. */
  copyStore(): Promise<void>
  /** Starts the server on the kept copy. Before anyone else can connect, `fillers` other events get the next sequence numbers. */
  rollBack(fillers: number): Promise<void>
  /** Starts the server on an empty store. */
  wipe(): Promise<void>
  /** Suspends the server, and continues it after `until` resolves. */
  freeze(until: () => Promise<void>): Promise<void>
  /** Returns the number of connections of a client, as the server counts them. */
  countConnections(name: string): Promise<number>
}

export async function startFaultyStream(program: string): Promise<FaultyStream> {
  const folder = mkdtempSync(join(tmpdir(), 'quittance-stream-'))
  const [dataDir, copy] = [join(folder, 'nats'), join(folder, 'copy')]
  const options = { dataDir, program, testAccounts: 1 }
  let server: NatsServer = await startNatsServer(options)
  const { port, monitorPort } = server
  const restart = async (change: () => Promise<void> | void) => {
    await server.stop()
    await change()
    server = await startNatsServer({ ...options, port, monitorPort })
  }
  return {
    url: server.url(account),
    copyStore: () => restart(() => cpSync(dataDir, copy, { recursive: true })),
    rollBack: (fillers) =>
      restart(async () => {
        rmSync(dataDir, { recursive: true })
        cpSync(copy, dataDir, { recursive: true })
        const hidden = await startNatsServer(options)
        await publishFillers(hidden.url(account), fillers)
        await hidden.stop()
      }),
    wipe: () => restart(() => rmSync(dataDir, { recursive: true })),
    async freeze(until) {
      process.kill(server.pid, 'SIGSTOP')
      try {
        await until()
      } finally {
        process.kill(server.pid, 'SIGCONT')
      }
    },
    async countConnections(name) {
      const response = await fetch(`http://127.0.0.1:${monitorPort}/connz`)
      const { connections } = (await response.json()) as { connections: { name?: string }[] }
      return connections.filter((connection) => connection.name === name).length
    },
    async [Symbol.asyncDispose]() {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function publishFillers(url: string, count: number): Promise<void> {
  const connection = await connectNats({ name: 'filler', url })
  const publish = () => connection.jetstream().publish('event.filler.noted', '{}', { msgID: randomUUID() })
  for (let published = 0; published < count; published++) await eventually(publish)
  await connection.close()
}
