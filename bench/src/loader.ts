/**
 * Process: makes requests and times them. Closed loop: a fixed number is in flight, each connection from an address of its own, so
 * that a limit per address is passed through but not met.
 */
import { Client } from 'undici'
import { closedLoop } from './closed-loop.ts'
import type { Load, LoadResult } from './load.ts'

const addresses = 250
const timeoutMs = 10_000
const clientsByOrigin = new Map<string, Client[]>()

process.on('message', (load: Load) => {
  void run(load).then((result) => process.send?.(result))
})
process.once('disconnect', () => process.exit())

function run({ origin, token, paths, seconds, connections }: Load): Promise<LoadResult> {
  const clients = clientsOf(origin)
  const request = { method: 'GET', headers: { authorization: `Bearer ${token}` } } as const
  // Each worker has connections of its own and takes them in turn.
  const next = Array.from({ length: connections }, (_, worker) => worker)
  return closedLoop({
    seconds,
    connections,
    async ask(worker) {
      const index = next[worker] as number
      next[worker] = index + connections < clients.length ? index + connections : worker
      const path = paths[Math.floor(Math.random() * paths.length)] as string
      const { statusCode, body } = await (clients[index] as Client).request({ ...request, path })
      const bytes = await body.bytes()
      if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}: ${Buffer.from(bytes).toString().slice(0, 200)}`)
      return bytes.length
    },
  })
}

function clientsOf(origin: string): Client[] {
  const known = clientsByOrigin.get(origin)
  if (known) return known
  const options = { keepAliveTimeout: 55_000, headersTimeout: timeoutMs, bodyTimeout: timeoutMs }
  const clients = Array.from({ length: addresses }, (_, index) => new Client(origin, { ...options, localAddress: `127.0.0.${index + 1}` }))
  clientsByOrigin.set(origin, clients)
  return clients
}
