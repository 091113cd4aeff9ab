import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { callApi } from '@quittance/testing/system'

/** A customer whose creation a gateway has acknowledged. */
export interface AcknowledgedCustomer {
  id: string
  email: string
}

/** Clients that create customers. Each request carries an Idempotency-Key and is repeated until it is acknowledged. */
export interface Load extends AsyncDisposable {
  acknowledged: AcknowledgedCustomer[]
  /** Longest duration of a request, successful or not, in milliseconds. */
  slowestMs(): number
  /** Number of responses other than 201, by status or error. */
  rejections(): Record<string, number>
  /** Stops the clients after their requests in progress are acknowledged. */
  stop(): Promise<void>
}

interface LoadOptions {
  gateways: readonly string[]
  token: string
  clients?: number
  /** Pause of a client between two customers. */
  everyMs?: number
}

/** A request that exceeds this counts as hung. */
const hangTimeoutMs = 60_000

export function startLoad({ gateways, token, clients = 6, everyMs = 100 }: LoadOptions): Load {
  const acknowledged: AcknowledgedCustomer[] = []
  const rejections: Record<string, number> = {}
  let slowestMs = 0
  let stopped = false
  let requestCount = 0

  async function attemptCreation(email: string, key: string): Promise<AcknowledgedCustomer | null> {
    const started = performance.now()
    const url = `${gateways[requestCount++ % gateways.length]}/v1/customers/`
    const headers = { 'idempotency-key': key }
    const outcome = await Promise.race([
      callApi(url, { method: 'POST', token, body: { email }, headers }).catch((error: Error) => ({ status: error.message, body: null })),
      pause(hangTimeoutMs, { status: 'no response', body: null }, { ref: false }),
    ])
    slowestMs = Math.max(slowestMs, performance.now() - started)
    if (outcome.status === 201) return { id: outcome.body.id, email }
    rejections[outcome.status] = (rejections[outcome.status] ?? 0) + 1
    return null
  }

  async function client(): Promise<void> {
    while (!stopped) {
      const [email, key] = [`${randomUUID()}@example.com`, randomUUID()]
      for (let customer = await attemptCreation(email, key); ; customer = await attemptCreation(email, key)) {
        if (customer) {
          acknowledged.push(customer)
          break
        }
        await pause(everyMs)
      }
      await pause(everyMs)
    }
  }

  const running = Array.from({ length: clients }, client)
  const stop = async () => {
    stopped = true
    await Promise.all(running)
  }
  return {
    acknowledged,
    slowestMs: () => slowestMs,
    rejections: () => rejections,
    stop,
    [Symbol.asyncDispose]: stop,
  }
}
