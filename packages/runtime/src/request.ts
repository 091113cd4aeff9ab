import type { Caller } from '@quittance/contracts/caller'
import { ApiError, ServiceUnavailable, type ErrorClass } from '@quittance/contracts/errors'
import { headers } from '@quittance/contracts/headers'
import type { Operation, ReplyOf, RequestInput } from '@quittance/contracts/operation'
import { headers as natsHeaders, NatsError, type NatsConnection } from 'nats'
import { ask } from './reply-inbox.ts'

/** What goes along with a request. */
export interface Envelope {
  /** `Caller` as JSON; only the gateway and the operator's tools may publish requests. */
  caller: string
  traceparent?: string | undefined
  tracestate?: string | undefined
  requestId?: string | undefined
  idempotencyKey?: string | undefined
  /** Longest wait for the answer, in milliseconds; passed on as an absolute deadline. */
  timeoutMs: number
}

/** The answer as bytes. `status` is null when the operation succeeded. */
export interface RawAnswer {
  status: number | null
  errorName: string | null
  retryAfter: string | null
  body: Uint8Array
}

/** Sends a request and gives the answer's bytes untouched. Nobody listening is `ServiceUnavailable` at once, never a timeout. */
export async function forward(
  connection: NatsConnection,
  request: { subject: string; body: Uint8Array; envelope: Envelope },
): Promise<RawAnswer> {
  const { subject, body, envelope } = request
  const sent = natsHeaders()
  sent.set(headers.caller, envelope.caller)
  sent.set(headers.deadline, String(Date.now() + envelope.timeoutMs))
  if (envelope.traceparent) sent.set(headers.traceparent, envelope.traceparent)
  if (envelope.tracestate) sent.set(headers.tracestate, envelope.tracestate)
  if (envelope.requestId) sent.set(headers.requestId, envelope.requestId)
  if (envelope.idempotencyKey) sent.set(headers.idempotencyKey, envelope.idempotencyKey)
  try {
    const answer = await ask(connection, { subject, body, headers: sent, timeoutMs: envelope.timeoutMs })
    const code = answer.headers?.get('Nats-Service-Error-Code')
    if (!code) return { status: null, errorName: null, retryAfter: null, body: answer.data }
    return {
      status: Number(code),
      errorName: answer.headers?.get('Nats-Service-Error') || null,
      retryAfter: answer.headers?.get('retry-after') || null,
      body: answer.data,
    }
  } catch (error) {
    throw unavailable(error, subject)
  }
}

function unavailable(error: unknown, subject: string): unknown {
  const code = error instanceof NatsError ? error.code : null
  const service = subject.split('.')[0]
  if (code === '503') return new ServiceUnavailable(`The ${service} service is not running.`, { cause: error })
  if (code === 'TIMEOUT') return new ServiceUnavailable(`The ${service} service did not answer in time.`, { cause: error })
  if (code === 'CONNECTION_CLOSED' || code === 'DISCONNECT' || code === 'CONNECTION_DRAINING') {
    return new ServiceUnavailable('The message server is not reachable.', { cause: error })
  }
  return error
}

/** An error another service answered that its operation does not list: its body is kept, its class is not known here. */
export class UnlistedError extends ApiError {
  readonly status: number
  readonly body: Record<string, unknown>

  constructor({ status, body, retryAfter }: { status: number; body: Record<string, unknown>; retryAfter: string | null }) {
    super(JSON.stringify(body['detail'] ?? body['error'] ?? null), { retryAfterSeconds: Number(retryAfter) })
    this.name = typeof body['error'] === 'string' ? body['error'] : 'UnlistedError'
    this.status = status
    this.body = body
  }

  override toBody(): Record<string, unknown> {
    return this.body
  }
}

/** Calls an operation with types; an error comes back as its class. */
export async function call<O extends Operation>(
  connection: NatsConnection,
  request: { operation: O; request: RequestInput<O>; caller: Caller; timeoutMs?: number; idempotencyKey?: string },
): Promise<ReplyOf<O>> {
  const answer = await forward(connection, {
    subject: request.operation.subject,
    body: Buffer.from(JSON.stringify(request.request)),
    envelope: { caller: JSON.stringify(request.caller), timeoutMs: request.timeoutMs ?? 10_000, idempotencyKey: request.idempotencyKey },
  })
  const body = answer.body.length ? JSON.parse(Buffer.from(answer.body).toString()) : null
  if (answer.status === null) return body
  throw rebuild(request.operation.errors, { ...answer, status: answer.status, body })
}

/** The listed class with the received text. Its constructor may want other things than a sentence, so it is not called. */
function rebuild(
  errors: readonly ErrorClass[],
  received: Omit<RawAnswer, 'status' | 'body'> & { status: number; body: Record<string, unknown> },
): ApiError {
  const listed = errors.find((candidate) => candidate.name === received.errorName)
  const error = new UnlistedError(received)
  if (listed) Object.setPrototypeOf(error, listed.prototype)
  return error
}
