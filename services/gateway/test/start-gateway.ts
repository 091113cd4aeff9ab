import { tokenRevoked, verifyToken } from '@quittance/contracts/auth'
import type { Caller } from '@quittance/contracts/caller'
import { verifyCustomerSession } from '@quittance/contracts/customer-sessions'
import type { PayloadOf } from '@quittance/contracts/event'
import { personalScopes, type PersonalScope } from '@quittance/contracts/scopes'
import { hashToken } from '@quittance/runtime/credential'
import { natsHeaders, type NatsConnection } from '@quittance/runtime/nats-connection'
import { freePorts } from '@quittance/testing/engines/free-ports'
import { startTestService, type TestService } from '@quittance/testing/harness'
import { gateway } from '../src/service.ts'

/** A request as the fake service received it. */
export interface RpcCall {
  body: unknown
  headers: Record<string, string>
}

type PlayedReply = string | { status: number; name: string; body: string; retryAfter?: string }
/** Returns the reply to the request with this number, counted from 1. */
type Decide = (body: never, count: number) => PlayedReply | Promise<PlayedReply>

export interface GatewayUnderTest extends AsyncDisposable {
  service: TestService
  fetch(path: string, options?: RequestInit): Promise<Response>
  /** Replies to a subject and records the requests. */
  play(subject: string, answer: PlayedReply | Decide): Promise<RpcCall[]>
  /** Publishes a revocation as auth does. */
  revoke(what: Partial<PayloadOf<typeof tokenRevoked>>): void
}

export const baseUrl = 'https://api.quittance.test'
export const authUrl = 'https://login.quittance.test'
const [ownPort, auth1, auth2, invoices1, invoices2, storefront] = (await freePorts(6)) as [number, number, number, number, number, number]
export const gatewayPort = ownPort
export const authPorts = [auth1, auth2] as const
export const invoicesPorts = [invoices1, invoices2] as const
export const storefrontPort = storefront
const listUrls = (ports: readonly number[]) => ports.map((port) => `http://127.0.0.1:${port}`).join(',')
const settings = {
  PORT: String(gatewayPort),
  STOP_NOTICE_MS: '0',
  BASE_URL: `${baseUrl}/`,
  AUTH_URL: `${authUrl}/`,
  AUTH_HTTP_URL: listUrls(authPorts),
  STOREFRONT_HTTP_URL: listUrls([storefront]),
  INVOICES_HTTP_URL: listUrls(invoicesPorts),
}

/** Starts the gateway with these settings and those that the test file has set. */
export async function startGateway(): Promise<GatewayUnderTest> {
  Object.assign(process.env, settings)
  process.env['RATE_LIMIT_PER_SECOND'] ??= '0'
  const service = await startTestService(gateway)
  const { connection } = service
  const nothing = { token_hash: null, grant_id: null, client_id: null, user_id: null }
  return {
    service,
    fetch: (path, options) => fetch(`http://127.0.0.1:${gatewayPort}${path}`, { redirect: 'manual', ...options }),
    play: (subject, answer) => play(connection, { subject, answer }),
    revoke: (what) => void service.emit(tokenRevoked, { ...nothing, ...what }),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}

type Msg = Parameters<NonNullable<NonNullable<Parameters<NatsConnection['subscribe']>[1]>['callback']>>[1]

interface Verification {
  scopes?: readonly PersonalScope[]
  expires_at?: string | null
  jkt?: string
  grant_id?: string | null
}

/** Builds the reply of auth for a credential; with every scope by default. */
export function verifiedAs(caller: Caller, { jkt, ...about }: Verification = {}): string {
  return JSON.stringify({ caller, scopes: personalScopes, expires_at: null, grant_id: null, confirmation: jkt ? { jkt } : null, ...about })
}

/** Builds the reply of orders for a customer session. */
export function sessionReply(caller: Caller, expires_at = new Date(Date.now() + 3_600_000).toISOString()): string {
  return JSON.stringify({ caller, expires_at })
}

/** Reply of the owner for an invalid credential. */
export const invalidCredentialReply = { status: 401, name: 'InvalidToken', body: '{"error":"invalid_token","detail":"No."}' }

export const verification = verifyToken.subject
export const sessionVerification = verifyCustomerSession.subject

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** Returns whether a request is about this credential. */
export const matchesCredential =
  (token: string) =>
  ({ body }: RpcCall): boolean =>
    (body as { hash: string }).hash === hashToken(token)

async function play(
  connection: NatsConnection,
  { subject, answer }: { subject: string; answer: PlayedReply | Decide },
): Promise<RpcCall[]> {
  const calls: RpcCall[] = []
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
      calls.push({ body: message.json(), headers: Object.fromEntries(keys.map((key) => [key, message.headers?.get(key) ?? ''])) })
      void respond(message, calls.length)
    },
  })
  // Until the server has processed the subscription, a request would find no responder.
  await connection.flush()
  return calls
}
