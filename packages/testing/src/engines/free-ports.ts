import { randomInt } from 'node:crypto'
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'

/** Below the ephemeral ports of Linux and macOS, so that a restarted server finds its port free. */
const range = { from: 15_000, to: 32_000 }

/** Longer than any test run keeps a port before a server listens on it. */
const reservationMs = 600_000

/**
 * Returns ports of the loopback interface that are free and stay reserved for ten minutes: no other process that calls this function
 * receives them, even before a server listens.
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = []
  while (ports.length < count) {
    const candidate = randomInt(range.from, range.to)
    if (reserve(candidate) && (await isFree(candidate))) ports.push(candidate)
  }
  return ports
}

export function isFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)))
  })
}

/** Creates the file of a port; only one process can. A reservation that has expired is replaced. */
function reserve(port: number): boolean {
  const folder = join(tmpdir(), `quittance-ports-${userInfo().username}`)
  const file = join(folder, String(port))
  mkdirSync(folder, { recursive: true })
  const { mtimeMs = Infinity } = statSync(file, { throwIfNoEntry: false }) ?? {}
  if (mtimeMs < Date.now() - reservationMs) rmSync(file, { force: true })
  try {
    writeFileSync(file, '', { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
