/** A nats-server whose store is rolled back, wiped or frozen while services use it. */
import { cpSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectNats, type MsgHdrs } from '@quittance/runtime/nats-connection'
import { startNatsServer, type NatsServer } from '../src/engines/nats-server.ts'
import { eventually } from '../src/eventually.ts'

/** User with all rights in an account with a separate stream. */
export const account = 'w0'

/** An event that another service publishes. */
export interface OtherEvent {
  subject: string
  body: Uint8Array
  headers: MsgHdrs
}

export interface FaultyStream extends AsyncDisposable {
  url: string
  /** Keeps a copy of the store as it is now. */
  copyStore(): Promise<void>
  /**
   * Starts the server on the kept copy. Before anyone else can connect, the other events get the next sequence numbers. With
   * `keepsConsumers` only messages are rolled back, as after a power loss in which the state of consumers was synced.
   */
  rollBack(others: readonly OtherEvent[], options?: { keepsConsumers?: boolean }): Promise<void>
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
    rollBack: (others, { keepsConsumers = false } = {}) =>
      restart(async () => {
        if (keepsConsumers) copyConsumers(dataDir, copy)
        rmSync(dataDir, { recursive: true })
        cpSync(copy, dataDir, { recursive: true })
        const hidden = await startNatsServer(options)
        await publishAll(hidden.url(account), others)
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

/** Copies the state of the consumers of all streams from one store to another. */
function copyConsumers(from: string, to: string): void {
  for (const folder of globSync('jetstream/*/streams/*/obs', { cwd: from }))
    cpSync(join(from, folder), join(to, folder), { recursive: true })
}

async function publishAll(url: string, events: readonly OtherEvent[]): Promise<void> {
  const connection = await connectNats({ name: 'other', url })
  for (const { subject, body, headers } of events) {
    await eventually(() => connection.jetstream().publish(subject, body, { headers }))
  }
  await connection.close()
}
