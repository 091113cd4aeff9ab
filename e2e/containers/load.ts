import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { callApi } from '@quittance/testing/system'

/** A customer that a gateway has acknowledged. */
export interface Acknowledged {
  id: string
  email: string
}

/** Customers that are being created, each under an Idempotency-Key and until it is acknowledged, as a good client does. */
export interface Load extends AsyncDisposable {
  acknowledged: Acknowledged[]
  /** Longest time a request took, whatever came of it, in milliseconds. */
  slowestMs(): number
  /** Answers that were not 201, by what they were. */
  refusals(): Record<string, number>
  /** Lets what is under way end, acknowledged. */
  stop(): Promise<void>
}

interface LoadOptions {
  gateways: readonly string[]
  token: string
  clients?: number
  /** Pause of a client between two customers. */
  everyMs?: number
}

/** A request that takes longer than this has no deadline. */
const patienceMs = 60_000

export function startLoad({ gateways, token, clients = 6, everyMs = 100 }: LoadOptions): Load {
  const acknowledged: Acknowledged[] = []
  const refusals: Record<string, number> = {}
  let slowestMs = 0
  let stopped = false
  let turn = 0

  async function once(email: string, key: string): Promise<Acknowledged | null> {
    const started = performance.now()
    const url = `${gateways[turn++ % gateways.length]}/v1/customers/`
    const headers = { 'idempotency-key': key }
    const outcome = await Promise.race([
      callApi(url, { method: 'POST', token, body: { email }, headers }).catch((error: Error) => ({ status: error.message, body: null })),
      pause(patienceMs, { status: 'no answer at all', body: null }, { ref: false }),
    ])
    slowestMs = Math.max(slowestMs, performance.now() - started)
    if (outcome.status === 201) return { id: outcome.body.id, email }
    refusals[outcome.status] = (refusals[outcome.status] ?? 0) + 1
    return null
  }

  async function client(): Promise<void> {
    while (!stopped) {
      const [email, key] = [`${randomUUID()}@example.com`, randomUUID()]
      for (let customer = await once(email, key); ; customer = await once(email, key)) {
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
    refusals: () => refusals,
    stop,
    [Symbol.asyncDispose]: stop,
  }
}
