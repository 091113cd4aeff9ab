import { isAllowedAddress } from '@quittance/runtime/address-policy'
import { createCheckedConnector, ConnectionError, type ConnectionFailure } from '@quittance/runtime/checked-connection'
import { Agent, request } from 'undici'
import { config } from '../config.ts'
import { resolveHostname } from './resolve-name.ts'
import { signatureHeaders, type Signable } from './signature.ts'
import type { Readable } from 'node:stream'

/** Failure reason of an attempt, stored with it. */
export type FailureReason = 'http_status' | 'gone' | 'timeout' | 'connection_reset' | 'invalid_response' | ConnectionFailure

/** Outcome of one POST. Failures of the endpoint are returned; internal errors are thrown. */
export interface AttemptOutcome {
  /** Null if no response was received. May be set together with a failure: the response broke off after the status line. */
  status: number | null
  /** Null for success. */
  reason: FailureReason | null
  excerpt: string | null
  retryAfter: string | null
  durationMs: number
}

interface WebhookRequest extends Signable {
  url: string
}

const connectTimeoutMs = 5_000
/** Informational responses (1xx) read per POST: each one costs as much as a response, and an endpoint can send them without end. */
const maxInformational = 8

/** Opened by the first POST; idle connections close themselves. */
const agent = new Agent({
  connect: createCheckedConnector({
    resolve: resolveHostname,
    isPermitted: (target) =>
      isAllowedAddress(target, { networks: config().WEBHOOK_ALLOWED_CIDRS, deniedPorts: config().WEBHOOK_DENIED_PORTS }),
    timeoutMs: connectTimeoutMs,
  }),
  allowH2: false,
})

/** Sends one signed POST within the timeout. Redirects are not followed, because they could lead anywhere. Throws when aborted. */
export async function postWebhook({ url, ...signable }: WebhookRequest, stop?: AbortSignal): Promise<AttemptOutcome> {
  const startedAt = performance.now()
  const limit = startDeadline(stop)
  const received: { status: number | null; retryAfter: string | null } = { status: null, retryAfter: null }
  try {
    const response = await request(url, {
      dispatcher: agent,
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'Quittance-Webhooks/1', ...signatureHeaders(signable) },
      body: signable.body,
      // Covers the whole exchange: undici's own timeouts restart with every byte.
      signal: limit.signal,
      headersTimeout: 0,
      bodyTimeout: 0,
      onInfo: limitInformational(),
    })
    received.status = response.statusCode
    received.retryAfter = [response.headers['retry-after']].flat()[0] ?? null
    const excerpt = await readExcerpt(response.body)
    return { ...received, reason: classifyStatus(response.statusCode), excerpt, durationMs: elapsedMs(startedAt) }
  } catch (error) {
    return { ...received, reason: classifyError(error), excerpt: null, durationMs: elapsedMs(startedAt) }
  } finally {
    limit.end()
  }
}

/** Aborts after the timeout, or with `stop`. Unlike `AbortSignal.timeout`, an ended one leaves no timer that fires and creates an error. */
function startDeadline(stop: AbortSignal | undefined): { signal: AbortSignal; end(): void } {
  const controller = new AbortController()
  const onStop = () => controller.abort(stop?.reason)
  if (stop?.aborted) onStop()
  stop?.addEventListener('abort', onStop)
  const timer = setTimeout(
    () => controller.abort(new DOMException('The endpoint did not respond in time', 'TimeoutError')),
    config().DELIVERY_TIMEOUT_MS,
  )
  return {
    signal: controller.signal,
    end() {
      clearTimeout(timer)
      stop?.removeEventListener('abort', onStop)
    },
  }
}

class InvalidResponse extends Error {}

/** The HTTP client also passes on status codes below 100, which it fails to read afterwards. */
function limitInformational(): (info: { statusCode: number }) => void {
  let count = 0
  return ({ statusCode }) => {
    count += 1
    if (statusCode < 100) throw new InvalidResponse(`The status code ${statusCode} is not valid`)
    if (count > maxInformational) throw new InvalidResponse('The endpoint sends too many informational responses')
  }
}

function elapsedMs(startedAt: number): number {
  return Math.round(performance.now() - startedAt)
}

function classifyStatus(status: number): FailureReason | null {
  if (status >= 200 && status < 300) return null
  return status === 410 ? 'gone' : 'http_status'
}

/** Returns the reason of an error caused by the endpoint or the network path to it. Rethrows any other error. */
function classifyError(error: unknown): FailureReason {
  if (error instanceof ConnectionError) return error.reason
  if (error instanceof InvalidResponse) return 'invalid_response'
  const { name, code = '' } = error as { name?: string; code?: string }
  if (name === 'TimeoutError') return 'timeout'
  if (/^(ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|UND_ERR_SOCKET)$/.test(code)) return 'connection_reset'
  // The client asserts what an endpoint sends.
  if (/^(HPE_|ERR_ASSERTION|UND_ERR_HEADERS_OVERFLOW|UND_ERR_RES|UND_ERR_INFO)/.test(code) || name === 'HTTPParserError')
    return 'invalid_response'
  throw error
}

const maxReadBytes = 64 * 1024
const maxExcerptBytes = 8 * 1024

/** Returns the beginning of a response for users to read. Reads at most 64 KiB, never decompresses, and then closes the stream. */
export async function readExcerpt(body: Readable): Promise<string> {
  // Closing early emits an error on the stream, which has no other effect.
  body.on('error', () => {})
  const chunks: Buffer[] = []
  let read = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    if (read < maxExcerptBytes) chunks.push(chunk)
    read += chunk.length
    if (read >= maxReadBytes) break
  }
  return toText(Buffer.concat(chunks).subarray(0, maxExcerptBytes))
}

/** Returns text that PostgreSQL accepts: without NUL, and in base64 if it is not UTF-8. A character cut at the end is dropped. */
function toText(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true }).replaceAll('\0', '')
  } catch {
    return bytes.toString('base64')
  }
}
