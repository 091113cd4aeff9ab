import { Agent, request } from 'undici'
import { config } from '../config.ts'
import { isPermitted } from './address-guard.ts'
import { guardedConnector, NotConnected, type ConnectionProblem } from './guarded-connection.ts'
import { readExcerpt } from './read-excerpt.ts'
import { resolveName } from './resolve-name.ts'
import { signatureHeaders, type Signable } from './signature.ts'

/** Why an attempt failed, in a word that is stored with it. */
export type FailureReason = 'http_status' | 'gone' | 'timeout' | 'connection_reset' | 'invalid_response' | ConnectionProblem

/** What came of one POST. A failure of the endpoint is data; what is thrown is a fault of ours. */
export interface Outcome {
  /** Null when no answer was received. May stand beside a failure: the answer broke off after its first line. */
  status: number | null
  /** Null for success. */
  reason: FailureReason | null
  excerpt: string | null
  retryAfter: string | null
  durationMs: number
}

interface Post extends Signable {
  url: string
}

const connectTimeoutMs = 5_000

/** Opened by the first POST; idle connections end by themselves. */
const agent = new Agent({
  connect: guardedConnector({
    resolve: resolveName,
    isPermitted: (address) => isPermitted(address, config().WEBHOOK_ALLOWED_CIDRS),
    timeoutMs: connectTimeoutMs,
  }),
  allowH2: false,
})

/** One signed POST, within its deadline. Redirects are not followed: they could lead anywhere. Throws when it was stopped. */
export async function attempt({ url, ...signable }: Post, stop?: AbortSignal): Promise<Outcome> {
  const started = performance.now()
  const deadline = AbortSignal.timeout(config().DELIVERY_TIMEOUT_MS)
  const seen: { status: number | null; retryAfter: string | null } = { status: null, retryAfter: null }
  try {
    const response = await request(url, {
      dispatcher: agent,
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'Quittance-Webhooks/1', ...signatureHeaders(signable) },
      body: signable.body,
      // Over the whole exchange: undici's own timeouts start again with every byte.
      signal: stop ? AbortSignal.any([deadline, stop]) : deadline,
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    seen.status = response.statusCode
    seen.retryAfter = [response.headers['retry-after']].flat()[0] ?? null
    const excerpt = await readExcerpt(response.body)
    return { ...seen, reason: reasonOfStatus(response.statusCode), excerpt, durationMs: since(started) }
  } catch (error) {
    return { ...seen, reason: reasonOfError(error), excerpt: null, durationMs: since(started) }
  }
}

function since(started: number): number {
  return Math.round(performance.now() - started)
}

function reasonOfStatus(status: number): FailureReason | null {
  if (status >= 200 && status < 300) return null
  return status === 410 ? 'gone' : 'http_status'
}

/** Of an error that the endpoint or the way to it has caused. Any other is thrown on. */
function reasonOfError(error: unknown): FailureReason {
  if (error instanceof NotConnected) return error.problem
  const { name, code = '' } = error as { name?: string; code?: string }
  if (name === 'TimeoutError') return 'timeout'
  if (/^(ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|UND_ERR_SOCKET)$/.test(code)) return 'connection_reset'
  if (/^(HPE_|UND_ERR_HEADERS_OVERFLOW|UND_ERR_RES|UND_ERR_INFO)/.test(code) || name === 'HTTPParserError') return 'invalid_response'
  throw error
}
