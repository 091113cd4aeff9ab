/**
 * Process: makes requests and times them. Closed loop, a fixed number in flight, or open, at a fixed rate; each connection from an address of its own, so
 * that a limit per address is passed through but not met.
 */
import { randomUUID } from 'node:crypto'
import { Client } from 'undici'
import { closedLoop } from './closed-loop.ts'
import { openLoop } from './open-loop.ts'
import type { Load, LoadResult } from './load.ts'

const addresses = 250
const timeoutMs = 10_000
const clientsByOrigin = new Map<string, Client[]>()

process.on('message', (load: Load) => {
  void run(load).then((result) => process.send?.(result))
})
process.once('disconnect', () => process.exit())

function run({ origin, token, paths, seconds, connections, write, perSecond }: Load): Promise<LoadResult> {
  const clients = clientsOf(origin)
  const authorization = `Bearer ${token}`
  const requestOf = () => (write ? writing(write, authorization) : { method: 'GET', headers: { authorization } })
  const wanted = write ? 201 : 200
  // Each worker has connections of its own and takes them in turn.
  const next = Array.from({ length: connections }, (_, worker) => worker)
  const ask = async (client: Client) => {
    const path = paths[Math.floor(Math.random() * paths.length)] as string
    const { statusCode, body } = await client.request({ ...requestOf(), path })
    const bytes = await body.bytes()
    if (statusCode !== wanted) throw new Error(`${path} answered ${statusCode}: ${Buffer.from(bytes).toString().slice(0, 200)}`)
    return bytes.length
  }
  if (perSecond) return openLoop({ seconds, perSecond, ask: (number) => ask(clients[number % clients.length] as Client) })
  return closedLoop({
    seconds,
    connections,
    ask(worker) {
      const index = next[worker] as number
      next[worker] = index + connections < clients.length ? index + connections : worker
      return ask(clients[index] as Client)
    },
  })
}

function writing(template: string, authorization: string) {
  const key = randomUUID()
  const headers = { authorization, 'content-type': 'application/json', 'idempotency-key': key }
  return { method: 'POST', headers, body: template.replaceAll('{n}', key) }
}

function clientsOf(origin: string): Client[] {
  const known = clientsByOrigin.get(origin)
  if (known) return known
  const options = { keepAliveTimeout: 55_000, headersTimeout: timeoutMs, bodyTimeout: timeoutMs }
  const clients = Array.from({ length: addresses }, (_, index) => new Client(origin, { ...options, localAddress: `127.0.0.${index + 1}` }))
  clientsByOrigin.set(origin, clients)
  return clients
}
