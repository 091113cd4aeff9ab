import type { Caller } from '@quittance/contracts/caller'
import {
  ApiError,
  ContentTooLarge,
  RequestValidationError,
  ServiceUnavailable,
  type ErrorClass,
  type ValidationIssue,
} from '@quittance/contracts/errors'
import { headers } from '@quittance/contracts/headers'
import type { Operation, ReplyOf, RequestInput } from '@quittance/contracts/operation'
import { headers as natsHeaders, NatsError, type NatsConnection } from 'nats'
import { signRequest } from '../bus/request-signature.ts'
import { requireBusIdentity } from '../nats/nats-connection.ts'
import { muxRequest } from '../nats/mux-inbox.ts'

/** Metadata sent with a request. */
export interface Envelope {
  /** `Caller` as JSON; signed with the rest of the request, see `bus/request-signature.ts`. */
  caller: string
  traceparent?: string | undefined
  tracestate?: string | undefined
  requestId?: string | undefined
  idempotencyKey?: string | undefined
  /** Maximum time to wait for the reply, in milliseconds; sent as an absolute deadline. */
  timeoutMs: number
}

/** The reply as bytes. `status` is null if the operation succeeded. */
export interface RawReply {
  status: number | null
  errorName: string | null
  retryAfter: string | null
  body: Uint8Array
}

/** Sends a request and returns the unparsed reply. A subject without responders is `ServiceUnavailable` at once, never a timeout. */
export async function forward(
  connection: NatsConnection,
  request: { subject: string; body: Uint8Array; envelope: Envelope },
): Promise<RawReply> {
  const { subject, body, envelope } = request
  const sent = natsHeaders()
  sent.set(headers.caller, envelope.caller)
  sent.set(headers.deadline, String(Date.now() + envelope.timeoutMs))
  if (envelope.traceparent) sent.set(headers.traceparent, envelope.traceparent)
  if (envelope.tracestate) sent.set(headers.tracestate, envelope.tracestate)
  if (envelope.requestId) sent.set(headers.requestId, envelope.requestId)
  if (envelope.idempotencyKey) sent.set(headers.idempotencyKey, envelope.idempotencyKey)
  signRequest(requireBusIdentity(connection), { subject, headers: sent, body })
  try {
    const reply = await muxRequest(connection, { subject, body, headers: sent, timeoutMs: envelope.timeoutMs })
    const code = reply.headers?.get('Nats-Service-Error-Code')
    if (!code) return { status: null, errorName: null, retryAfter: null, body: reply.data }
    return {
      status: Number(code),
      errorName: reply.headers?.get('Nats-Service-Error') || null,
      retryAfter: reply.headers?.get('retry-after') || null,
      body: reply.data,
    }
  } catch (error) {
    throw toUnavailableError(error, subject)
  }
}

function toUnavailableError(error: unknown, subject: string): unknown {
  const code = error instanceof NatsError ? error.code : null
  const service = subject.split('.')[0]
  if (code === '503') return new ServiceUnavailable(`The ${service} service is not running.`, { cause: error })
  if (code === 'TIMEOUT') return new ServiceUnavailable(`The ${service} service did not reply in time.`, { cause: error })
  // Numbers of a body may be longer when they are written again: `1e20`.
  if (code === 'MAX_PAYLOAD_EXCEEDED') return new ContentTooLarge('The request is too large to be forwarded.', { cause: error })
  if (code === 'CONNECTION_CLOSED' || code === 'DISCONNECT' || code === 'CONNECTION_DRAINING') {
    return new ServiceUnavailable('The message broker is unavailable.', { cause: error })
  }
  return error
}

/** An error of another service that its operation does not declare: the body is preserved, the class is unknown here. */
class UndeclaredError extends ApiError {
  readonly status: number
  readonly body: Record<string, unknown>

  constructor({ status, body, retryAfter }: { status: number; body: Record<string, unknown>; retryAfter: string | null }) {
    super(describe(body), { retryAfterSeconds: Number(retryAfter) })
    this.name = typeof body['error'] === 'string' ? body['error'] : 'UndeclaredError'
    this.status = status
    this.body = body
  }

  override toBody(): Record<string, unknown> {
    return this.body
  }
}

/** Returns the text of an error body, with those of its issues. */
function describe({ error, detail }: Record<string, unknown>): string {
  if (Array.isArray(detail)) return new RequestValidationError(detail).message
  const text = detail ?? error
  return typeof text === 'string' ? text : 'The reply describes no error.'
}

/** Calls an operation with typed request and reply; an error is thrown as its declared class. */
export async function call<O extends Operation>(
  connection: NatsConnection,
  request: { operation: O; request: RequestInput<O>; caller: Caller; timeoutMs?: number; idempotencyKey?: string },
): Promise<ReplyOf<O>> {
  const reply = await forward(connection, {
    subject: request.operation.subject,
    body: Buffer.from(JSON.stringify(request.request)),
    envelope: { caller: JSON.stringify(request.caller), timeoutMs: request.timeoutMs ?? 10_000, idempotencyKey: request.idempotencyKey },
  })
  const body = reply.body.length ? JSON.parse(Buffer.from(reply.body).toString()) : null
  if (reply.status === null) return body
  throw rebuild(request.operation.errors, { ...reply, status: reply.status, body })
}

/** Creates the declared class with the received text. Its constructor may have other parameters, so it is not called. */
function rebuild(
  errors: readonly ErrorClass[],
  received: Omit<RawReply, 'status' | 'body'> & { status: number; body: Record<string, unknown> },
): ApiError {
  // Every operation rejects a malformed request with the second.
  const errorClass = [...errors, RequestValidationError].find((candidate) => candidate.name === received.errorName)
  const error = new UndeclaredError(received)
  if (!errorClass) return error
  Object.setPrototypeOf(error, errorClass.prototype)
  const issues: Pick<RequestValidationError, 'issues'> = { issues: received.body['detail'] as ValidationIssue[] }
  return error instanceof RequestValidationError ? Object.assign(error, issues) : error
}
