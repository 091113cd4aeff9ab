import { createServer, type AddressInfo } from 'node:net'
import { tokenRevoked, verifyToken } from '@quittance/contracts/auth'
import type { Caller } from '@quittance/contracts/caller'
import { scopes } from '@quittance/contracts/scopes'
import { natsHeaders, type NatsConnection } from '@quittance/runtime/nats'
import { startTestService, type TestService } from '@quittance/testing/harness'
import { gateway } from '../src/service.ts'

/** A question as the played service got it. */
export interface Asked {
  body: unknown
  headers: Record<string, string>
}

export interface GatewayUnderTest extends AsyncDisposable {
  service: TestService
  fetch(path: string, options?: RequestInit): Promise<Response>
  /** Answers a subject with these bytes, and keeps what was asked. */
  play(subject: string, answer: string | { status: number; name: string; body: string }): Promise<Asked[]>
  revoke(hash: string): void
}

// Read once per process by the gateway's configuration, so every test of a file shares them.
process.env['PORT'] = String(await freePort())
process.env['RATE_LIMIT_PER_SECOND'] = '0'

export async function startGateway(): Promise<GatewayUnderTest> {
  const service = await startTestService(gateway)
  const { connection } = service
  return {
    service,
    fetch: (path, options) => fetch(`http://127.0.0.1:${process.env['PORT']}${path}`, options),
    play: (subject, answer) => play(connection, { subject, answer }),
    revoke: (hash) => connection.publish(tokenRevoked.subject, JSON.stringify({ token_hash: hash })),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}

/** What auth would answer for a credential with every scope. */
export function verifiedAs(caller: Caller): string {
  return JSON.stringify({ caller, scopes, expires_at: null })
}

export const verification = verifyToken.subject

async function play(
  connection: NatsConnection,
  { subject, answer }: { subject: string; answer: string | { status: number; name: string; body: string } },
): Promise<Asked[]> {
  const asked: Asked[] = []
  connection.subscribe(subject, {
    callback: (_error, message) => {
      const keys = message.headers?.keys() ?? []
      asked.push({ body: message.json(), headers: Object.fromEntries(keys.map((key) => [key, message.headers?.get(key) ?? ''])) })
      if (typeof answer === 'string') return message.respond(answer)
      const headers = natsHeaders()
      headers.set('Nats-Service-Error-Code', String(answer.status))
      headers.set('Nats-Service-Error', answer.name)
      return message.respond(answer.body, { headers })
    },
  })
  // Until the server knows of it, a request would find nobody.
  await connection.flush()
  return asked
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
