/**
 * Process: makes requests and times them. Closed loop: a fixed number is in flight, each connection from an address of its own, so
 * that a limit per address is passed through but not met.
 */
import { Client } from 'undici'
import type { Load, LoadResult } from './load.ts'
import { quantile } from './statistics.ts'

const addresses = 250
const mostRequests = 5_000_000
const timeoutMs = 10_000
const clientsByOrigin = new Map<string, Client[]>()

process.on('message', (load: Load) => {
  void run(load).then((result) => process.send?.(result))
})
process.once('disconnect', () => process.exit())

async function run({ origin, token, paths, seconds, connections }: Load): Promise<LoadResult> {
  const clients = clientsOf(origin)
  const request = { method: 'GET', headers: { authorization: `Bearer ${token}` } } as const
  const latencies: number[] = []
  const result = { errors: 0, firstError: null as string | null, bytes: 0 }
  const started = performance.now()
  const isOver = () => performance.now() - started > seconds * 1000 || latencies.length >= mostRequests

  /** Each worker has connections of its own and takes them in turn. */
  async function work(worker: number): Promise<void> {
    for (let next = worker; !isOver(); next = next + connections < clients.length ? next + connections : worker) {
      const from = performance.now()
      try {
        const path = paths[Math.floor(Math.random() * paths.length)] as string
        const { statusCode, body } = await (clients[next] as Client).request({ ...request, path })
        const bytes = await body.bytes()
        if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}: ${Buffer.from(bytes).toString().slice(0, 200)}`)
        result.bytes += bytes.length
        latencies.push(performance.now() - from)
      } catch (error) {
        result.errors += 1
        result.firstError ??= (error as Error).message
      }
    }
  }

  await Promise.all(Array.from({ length: connections }, (_, worker) => work(worker)))
  return summary(latencies, { ...result, seconds: (performance.now() - started) / 1000 })
}

function clientsOf(origin: string): Client[] {
  const known = clientsByOrigin.get(origin)
  if (known) return known
  const options = { keepAliveTimeout: 55_000, headersTimeout: timeoutMs, bodyTimeout: timeoutMs }
  const clients = Array.from({ length: addresses }, (_, index) => new Client(origin, { ...options, localAddress: `127.0.0.${index + 1}` }))
  clientsByOrigin.set(origin, clients)
  return clients
}

type Counted = Pick<LoadResult, 'errors' | 'firstError' | 'seconds'> & { bytes: number }

function summary(latencies: readonly number[], { bytes, ...counted }: Counted): LoadResult {
  const answered = latencies.length
  return { ...counted, answered, meanBytes: bytes / answered, p50Ms: quantile(latencies, 0.5), p99Ms: quantile(latencies, 0.99) }
}
