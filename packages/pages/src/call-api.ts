import type { ValidationIssue } from '@quittance/contracts/errors'
import { pathVariables, type HttpBinding, type Operation, type ReplyOf, type RequestInput } from '@quittance/contracts/operation'
import { Pool } from 'undici'

/** The visitor on whose behalf a page server calls. */
export interface Visitor {
  ip: string
  requestId: string
  traceparent: string
}

/** What a call carries besides the request of the operation. */
export interface CallOptions {
  visitor: Visitor
  /** Credential of the visitor: a customer session. */
  token?: string | undefined
  idempotencyKey?: string | undefined
}

/** The public API as a page server sees it: over HTTP, like every other client. An operation without an HTTP binding cannot be called. */
export interface ApiClient {
  call<O extends Operation>(operation: O, request: RequestInput<O>, options: CallOptions): Promise<ReplyOf<O>>
  /** Whether a gateway is ready. */
  isReady(): Promise<boolean>
  close(): Promise<void>
}

interface ApiClientOptions {
  /** Addresses of the gateways. */
  origins: readonly string[]
  /** Proves to the gateway that calls come from a page server. */
  pagesKey: string | undefined
}

/** An error reply of the API. */
export class ApiFailure extends Error {
  readonly status: number
  /** Name of the error class. */
  readonly error: string
  readonly issues: readonly ValidationIssue[]
  readonly retryAfterSeconds: number | null
  /** What the reply states beside the name: some errors have further members. */
  readonly members: Readonly<Record<string, unknown>>

  constructor(status: number, { body, retryAfterSeconds }: { body: ErrorBody; retryAfterSeconds: number | null }) {
    super(typeof body.detail === 'string' ? body.detail : (body.error ?? String(status)))
    this.name = 'ApiFailure'
    this.status = status
    this.error = body.error ?? ''
    this.issues = Array.isArray(body.detail) ? body.detail : []
    this.retryAfterSeconds = retryAfterSeconds
    this.members = { ...body }
  }
}

interface ErrorBody {
  error?: string
  detail?: string | ValidationIssue[]
}

/** No gateway replied, its reply was not complete, or it replied 502, 503 or 504. */
export class ApiUnavailable extends Error {
  override readonly name = 'ApiUnavailable'
  readonly retryAfterSeconds: number

  constructor(message: string, { retryAfterSeconds, cause }: { retryAfterSeconds?: number | null; cause?: unknown } = {}) {
    super(message, { cause })
    this.retryAfterSeconds = retryAfterSeconds ?? 1
  }
}

/** Error codes that guarantee that nothing was sent. */
const notConnected = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'])

/** Connections to a gateway, which limits the requests in progress: a call that waits behind others would be delayed by slow operations. */
const connections = 512
/** Milliseconds until a call ends: with the default of its `REQUEST_TIMEOUT_MS`, the gateway replies before. */
const timeoutMs = 12_000

interface HttpRequest {
  method: HttpBinding['method']
  path: string
  headers: Record<string, string>
  body: string | null
}

/** Creates a client of the API. Requests alternate between the gateways; one that was not sent, or is repeatable, tries the next. */
export function createApiClient({ origins, pagesKey }: ApiClientOptions): ApiClient {
  const pools = origins.map((origin) => new Pool(origin, { connections, connectTimeout: 2_000 }))
  let next = 0

  async function send(request: HttpRequest): Promise<{ status: number; text: string; retryAfter: string | null }> {
    const isRepeatable = request.method === 'GET' || 'idempotency-key' in request.headers
    const first = next++
    for (let tried = 1; ; tried++) {
      const pool = pools[(first + tried) % pools.length] as Pool
      try {
        const { statusCode: status, headers, body } = await pool.request({ ...request, signal: AbortSignal.timeout(timeoutMs) })
        const { 'retry-after': retryAfter } = headers
        return { status, text: await body.text(), retryAfter: typeof retryAfter === 'string' ? retryAfter : null }
      } catch (error) {
        const mayRepeat = isRepeatable || notConnected.has((error as { code?: string }).code ?? '')
        if (!mayRepeat || tried >= pools.length) throw new ApiUnavailable('No gateway replied', { cause: error })
      }
    }
  }

  return {
    async call(operation, request, { visitor, token, idempotencyKey }) {
      const { method, path, body } = bindRequest(operation, request as Record<string, unknown>)
      const headers = {
        accept: 'application/json',
        'x-forwarded-for': visitor.ip,
        'x-request-id': visitor.requestId,
        traceparent: visitor.traceparent,
        ...(body !== null && { 'content-type': 'application/json' }),
        ...(pagesKey && { 'x-pages-key': pagesKey }),
        ...(token && { authorization: `Bearer ${token}` }),
        ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
      }
      const { status, text, retryAfter } = await send({ method, path, headers, body })
      const retryAfterSeconds = Number(retryAfter) || null
      if (status === 503 || status === 502 || status === 504) throw new ApiUnavailable(`The API replied ${status}`, { retryAfterSeconds })
      if (status >= 300) throw new ApiFailure(status, { body: parseError(text), retryAfterSeconds })
      return (text ? JSON.parse(text) : null) as ReplyOf<typeof operation>
    },
    async isReady() {
      const { status } = await send({ method: 'GET', path: '/readyz', headers: {}, body: null })
      // The gateway of release 0.1.0 has no probe on its public port.
      return status === 200 || status === 404
    },
    close: async () => void (await Promise.all(pools.map((pool) => pool.close()))),
  }
}

/** Binds the flat request of an operation to its route: path variables first, the rest is the query or the body. */
export function bindRequest(
  { subject, http }: Operation,
  request: Record<string, unknown>,
): { method: HttpBinding['method']; path: string; body: string | null } {
  if (!http) throw new Error(`${subject} has no HTTP binding: it cannot be called by a page`)
  const variables = new Set(pathVariables(http))
  const path = http.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(request[name])))
  const rest = Object.entries(request).filter(([name, value]) => !variables.has(name) && value !== undefined)
  if (http.method !== 'GET' && http.method !== 'DELETE')
    return { method: http.method, path, body: JSON.stringify(Object.fromEntries(rest)) }
  const query = new URLSearchParams(rest.flatMap(([name, value]) => [value].flat().map((each): [string, string] => [name, String(each)])))
  return { method: http.method, path: query.size > 0 ? `${path}?${query}` : path, body: null }
}

function parseError(text: string): ErrorBody {
  try {
    return JSON.parse(text) as ErrorBody
  } catch {
    return {}
  }
}
