import { tokenRevoked, verifyToken } from '@quittance/contracts/auth'
import type { Caller } from '@quittance/contracts/caller'
import { verifyCustomerSession } from '@quittance/contracts/customer-sessions'
import type { PayloadOf } from '@quittance/contracts/event'
import { scopes, type Scope } from '@quittance/contracts/scopes'
import { hashToken } from '@quittance/runtime/credential'
import { natsHeaders, type NatsConnection } from '@quittance/runtime/nats'
import { freePorts } from '@quittance/testing/engines/free-ports'
import { startTestService, type TestService } from '@quittance/testing/harness'
import { gateway } from '../src/service.ts'

/** A question as the played service got it. */
export interface Asked {
  body: unknown
  headers: Record<string, string>
}

type Played = string | { status: number; name: string; body: string; retryAfter?: string }
/** The answer to the question that is asked for the so-manieth time. */
type Decide = (body: never, count: number) => Played | Promise<Played>

export interface GatewayUnderTest extends AsyncDisposable {
  service: TestService
  fetch(path: string, options?: RequestInit): Promise<Response>
  /** Answers a subject, and keeps what was asked. */
  play(subject: string, answer: Played | Decide): Promise<Asked[]>
  /** Says as auth does that something was revoked. */
  revoke(what: Partial<PayloadOf<typeof tokenRevoked>>): void
}

// Read once per process by the gateway's configuration, so every test of a file shares them.
export const baseUrl = 'https://api.quittance.test'
export const authUrl = 'https://login.quittance.test'
const [ownPort, auth1, auth2, invoices1, invoices2] = (await freePorts(5)) as [number, number, number, number, number]
export const authPorts = [auth1, auth2] as const
export const invoicesPorts = [invoices1, invoices2] as const
process.env['PORT'] = String(ownPort)
process.env['RATE_LIMIT_PER_SECOND'] = '0'
process.env['STOP_NOTICE_MS'] = '0'
process.env['BASE_URL'] = `${baseUrl}/`
process.env['AUTH_URL'] = `${authUrl}/`
process.env['AUTH_HTTP_URL'] = authPorts.map((port) => `http://127.0.0.1:${port}`).join(',')
process.env['INVOICES_HTTP_URL'] = invoicesPorts.map((port) => `http://127.0.0.1:${port}`).join(',')

export async function startGateway(): Promise<GatewayUnderTest> {
  const service = await startTestService(gateway)
  const { connection } = service
  const nothing = { token_hash: null, grant_id: null, client_id: null, user_id: null }
  return {
    service,
    fetch: (path, options) => fetch(`http://127.0.0.1:${process.env['PORT']}${path}`, { redirect: 'manual', ...options }),
    play: (subject, answer) => play(connection, { subject, answer }),
    revoke: (what) => connection.publish(tokenRevoked.subject, JSON.stringify({ ...nothing, ...what })),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}

type Msg = Parameters<NonNullable<NonNullable<Parameters<NatsConnection['subscribe']>[1]>['callback']>>[1]

interface Verification {
  scopes?: readonly Scope[]
  expires_at?: string | null
  jkt?: string
  grant_id?: string | null
}

/** What auth would answer for a credential; with every scope unless told. */
export function verifiedAs(caller: Caller, { jkt, ...about }: Verification = {}): string {
  return JSON.stringify({ caller, scopes, expires_at: null, grant_id: null, confirmation: jkt ? { jkt } : null, ...about })
}

/** What orders would answer for a customer session. */
export function sessionOf(caller: Caller, expires_at = new Date(Date.now() + 3_600_000).toISOString()): string {
  return JSON.stringify({ caller, expires_at })
}

/** What its owner answers for a credential that is not valid. */
export const notValid = { status: 401, name: 'InvalidToken', body: '{"error":"invalid_token","detail":"No."}' }

export const verification = verifyToken.subject
export const sessionVerification = verifyCustomerSession.subject

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** Whether a question was about this credential. */
export const isAbout =
  (token: string) =>
  ({ body }: Asked): boolean =>
    (body as { hash: string }).hash === hashToken(token)

async function play(connection: NatsConnection, { subject, answer }: { subject: string; answer: Played | Decide }): Promise<Asked[]> {
  const asked: Asked[] = []
  const respond = async (message: Msg, count: number) => {
    const played = typeof answer === 'function' ? await answer(message.json() as never, count) : answer
    if (typeof played === 'string') return message.respond(played)
    const headers = natsHeaders()
    headers.set('Nats-Service-Error-Code', String(played.status))
    headers.set('Nats-Service-Error', played.name)
    if (played.retryAfter) headers.set('retry-after', played.retryAfter)
    return message.respond(played.body, { headers })
  }
  connection.subscribe(subject, {
    callback: (_error, message) => {
      const keys = message.headers?.keys() ?? []
      asked.push({ body: message.json(), headers: Object.fromEntries(keys.map((key) => [key, message.headers?.get(key) ?? ''])) })
      void respond(message, asked.length)
    },
  })
  // Until the server knows of it, a request would find nobody.
  await connection.flush()
  return asked
}
