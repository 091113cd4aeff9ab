import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Below the ports that Linux and macOS give to outgoing connections: a server that restarts finds its port free again. */
const range = { from: 15_000, to: 32_000 }

export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>()
  while (ports.size < count) {
    const candidate = randomInt(range.from, range.to)
    if (!ports.has(candidate) && (await isFree(candidate))) ports.add(candidate)
  }
  return [...ports]
}

export function isFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)))
  })
}
