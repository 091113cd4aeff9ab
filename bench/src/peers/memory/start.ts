import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** Configuration of the peer. */
export interface MemoryOrder {
  client: { client_id: string; client_secret: string }
  scope: string
  /** Number of initial refresh tokens, each with a separate authorization. */
  count: number
}

export interface MemoryReady {
  port: number
  tokens: string[]
}

export interface MemoryPeer extends AsyncDisposable {
  pid: number
  origin: string
  tokens: string[]
}

/** The same as for the services of the measured system: a runtime setting is not a design difference. */
const nodeFlags = ['--max-semi-space-size=32']

export async function startMemoryPeer(order: MemoryOrder): Promise<MemoryPeer> {
  const child = fork(join(import.meta.dirname, 'provider.ts'), { execArgv: nodeFlags, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const exit = once(child, 'exit')
  child.send(order)
  const first = await Promise.race([once(child, 'message'), exit.then(() => null)])
  if (!first) throw new Error('The in-memory provider ended before it was ready.')
  const { port, tokens } = first[0] as MemoryReady
  return {
    pid: child.pid as number,
    origin: `http://127.0.0.1:${port}`,
    tokens,
    async [Symbol.asyncDispose]() {
      child.disconnect()
      await exit
    },
  }
}
