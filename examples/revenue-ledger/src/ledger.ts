import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'

/** Revenue as reported by webhooks. */
export interface Ledger extends AsyncDisposable {
  port: number
  /** Sets the signing secret: only events signed with it are accepted. */
  trust(secret: string): void
  /** Minor units by currency. */
  revenue: ReadonlyMap<string, number>
}

interface PaidOrder {
  id: string
  net_amount: number
  currency: string
}

/** Listens on every address, so that a webhook from a container arrives too. */
export async function startLedger(): Promise<Ledger> {
  const revenue = new Map<string, number>()
  const counted = new Set<string>()
  let webhook: Webhook | null = null

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    try {
      if (!webhook) throw new Error('no secret yet')
      const event = webhook.verify(Buffer.concat(chunks).toString(), request.headers as Record<string, string>) as {
        type: string
        data: PaidOrder
      }
      // Deliveries come at least once; the id stays the same.
      const id = String(request.headers['webhook-id'])
      if (event.type === 'order.paid' && !counted.has(id)) {
        counted.add(id)
        revenue.set(event.data.currency, (revenue.get(event.data.currency) ?? 0) + event.data.net_amount)
      }
      response.writeHead(204).end()
    } catch {
      response.writeHead(401).end()
    }
  }

  const server = createServer((request, response) => void take(request, response))
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    trust: (secret) => void (webhook = new Webhook(secret)),
    revenue,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
