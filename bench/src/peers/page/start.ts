import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** What the bare page server gets. */
export interface PageOrder {
  apiOrigin: string
  /** The page as the storefront rendered it. */
  page: string
}

export interface PageReady {
  port: number
}

export interface PagePeer extends AsyncDisposable {
  pid: number
  origin: string
}

/** Starts the bare page server with the flags of the measured services. */
export async function startPagePeer(order: PageOrder): Promise<PagePeer> {
  const child = fork(join(import.meta.dirname, 'page.ts'), [], { execArgv: ['--max-semi-space-size=32'] })
  const exit = once(child, 'exit')
  child.send(order)
  const first = await Promise.race([once(child, 'message'), exit.then(() => null)])
  if (!first) throw new Error('The bare page server ended before it was ready.')
  const { port } = first[0] as PageReady
  return {
    pid: child.pid as number,
    origin: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      child.disconnect()
      await exit
    },
  }
}
