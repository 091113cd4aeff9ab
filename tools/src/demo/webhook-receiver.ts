import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'

export interface ReceivedEvent {
  type: string
  data: { id: string; status: string; is_invoice_generated: boolean }
}

/** A customer's webhook endpoint: accepts an event only if its signature verifies. */
export interface WebhookReceiver {
  url: string
  /** In order of arrival. */
  events: readonly ReceivedEvent[]
  /** Sets the secret for all later signatures. */
  trust(secret: string): void
  /** Resolves with the first matching event, past or future. */
  waitFor(fits: (event: ReceivedEvent) => boolean): Promise<ReceivedEvent>
  close(): void
}

const patienceMs = 20_000

/** Starts the receiver. `address` is the one under which the system reaches this machine. */
export async function startWebhookReceiver(address = '127.0.0.1'): Promise<WebhookReceiver> {
  const events: ReceivedEvent[] = []
  const waiting = new Set<() => void>()
  const faults: string[] = []
  let secret: string | null = null
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await readText(request)
    try {
      events.push(new Webhook(secret ?? '').verify(body, request.headers as Record<string, string>) as ReceivedEvent)
      response.writeHead(202).end()
    } catch (error) {
      faults.push((error as Error).message)
      response.writeHead(401).end()
    }
    for (const look of waiting) look()
  }
  const server = createServer((request, response) => void take(request, response))
  await new Promise<void>((resolve) => server.listen(0, address, resolve))
  return {
    url: `http://${address}:${(server.address() as AddressInfo).port}/webhooks`,
    events,
    trust: (given) => void (secret = given),
    waitFor: (fits) => waitFor({ find: () => events.find(fits), events, faults, waiting }),
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

interface Wait {
  find: () => ReceivedEvent | undefined
  events: readonly ReceivedEvent[]
  faults: readonly string[]
  waiting: Set<() => void>
}

function waitFor({ find, events, faults, waiting }: Wait): Promise<ReceivedEvent> {
  const { promise, resolve, reject } = Promise.withResolvers<ReceivedEvent>()
  const look = () => {
    const found = find()
    if (found) resolve(found)
    else if (faults[0]) reject(new Error(`a webhook arrived whose signature does not verify: ${faults[0]}`))
  }
  const seen = () => events.map(({ type }) => type).join(', ') || 'nothing'
  const timer = setTimeout(
    () => reject(new Error(`the webhook did not arrive within ${patienceMs / 1000} s; received: ${seen()}`)),
    patienceMs,
  )
  waiting.add(look)
  look()
  return promise.finally(() => {
    clearTimeout(timer)
    waiting.delete(look)
  })
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
