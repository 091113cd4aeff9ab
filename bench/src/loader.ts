/**
 * Process: sends requests and times them, in a closed loop (a fixed number in flight) or an open one (a fixed rate). Each connection has
 * its own source address, so that a rate limit per address is evaluated but not reached.
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

function run({ origin, token, paths, seconds, connections, write, headers = {}, perSecond }: Load): Promise<LoadResult> {
  const clients = getClients(origin)
  const authorization = `Bearer ${token}`
  const createRequest = () => (write ? createWrite(write, authorization) : { method: 'GET', headers: { authorization, ...headers } })
  const expectedStatus = write ? 201 : 200
  // Each worker has its own connections and uses them in turn.
  const next = Array.from({ length: connections }, (_, worker) => worker)
  const sendRequest = async (client: Client) => {
    const path = paths[Math.floor(Math.random() * paths.length)] as string
    const { statusCode, body } = await client.request({ ...createRequest(), path })
    const bytes = await body.bytes()
    if (statusCode !== expectedStatus) throw new Error(`${path} returned ${statusCode}: ${Buffer.from(bytes).toString().slice(0, 200)}`)
    return bytes.length
  }
  if (perSecond) return openLoop({ seconds, perSecond, sendRequest: (number) => sendRequest(clients[number % clients.length] as Client) })
  return closedLoop({
    seconds,
    connections,
    sendRequest(worker) {
      const index = next[worker] as number
      next[worker] = index + connections < clients.length ? index + connections : worker
      return sendRequest(clients[index] as Client)
    },
  })
}

function createWrite(template: string, authorization: string) {
  const key = randomUUID()
  const headers = { authorization, 'content-type': 'application/json', 'idempotency-key': key }
  return { method: 'POST', headers, body: template.replaceAll('{n}', key) }
}

function getClients(origin: string): Client[] {
  const known = clientsByOrigin.get(origin)
  if (known) return known
  const options = { keepAliveTimeout: 55_000, headersTimeout: timeoutMs, bodyTimeout: timeoutMs }
  const clients = Array.from({ length: addresses }, (_, index) => new Client(origin, { ...options, localAddress: `127.0.0.${index + 1}` }))
  clientsByOrigin.set(origin, clients)
  return clients
}
