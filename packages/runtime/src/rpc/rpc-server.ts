import { callerTenant, type Caller } from '@quittance/contracts/caller'
import {
  ApiError,
  Conflict,
  InternalServerError,
  NotPermitted,
  RequestValidationError,
  ServiceUnavailable,
} from '@quittance/contracts/errors'
import { headers } from '@quittance/contracts/headers'
import type { Operation } from '@quittance/contracts/operation'
import { headers as natsHeaders, type NatsConnection, type ServiceMsg } from 'nats'
import { z } from 'zod'
import type { Database } from '../database/database.ts'
import type { Handler } from '../handlers/handler.ts'
import type { FairSlots } from '../process/fair-slots.ts'
import { histogram } from '../process/metrics.ts'
import type { BusIdentity } from '../bus/identity.ts'
import { reportRejection } from '../bus/rejections.ts'
import { verifyRequest } from '../bus/request-signature.ts'
import type { Logger } from '../process/logger.ts'
import { maxPayloadBytes } from '../nats/nats-connection.ts'
import { publishBatched } from '../nats/mux-inbox.ts'
import { startSpan } from '../process/tracing.ts'
import { runHandler, type InSlot } from '../handlers/run-handler.ts'
import { parseRequest } from './request-validation.ts'
import { isDatabaseTimeout, isDatabaseUnavailable } from '../database/unavailable.ts'

/** Errors of every public operation that may occur before its handler runs; never declared. */
const common: readonly (abstract new (...parameters: never[]) => ApiError)[] = [
  RequestValidationError,
  NotPermitted,
  Conflict,
  ServiceUnavailable,
]

const duration = histogram('request_duration_seconds', 'Time to process a request in seconds, by operation and status.', {
  labels: ['operation', 'status'],
  buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
})

/** Part of the maximum message size that is reserved for headers. */
const headersBytes = 1_024
const pageTooLarge = {
  loc: ['query', 'limit'],
  msg: 'Must be smaller: the items of this page are too large for one reply.',
  type: 'value_error',
}

/** Dependencies of a request handler. */
export interface RpcHandlerOptions {
  connection: NatsConnection
  identity: BusIdentity
  /** Whether a request without a signature is handled: only while a gateway of an earlier release is running. */
  acceptsUnsigned: boolean
  database: Database | null
  /** Limits the requests in progress, so that no organization holds every connection of the pool. */
  slots: FairSlots
  log: Logger
  /** Called for every error returned; tests count which declared errors occurred. */
  onError?: (operation: Operation, error: ApiError) => void
}

/**
 * Creates a NATS endpoint handler for one operation. Every authentic request gets a reply, even after an error; the others are counted and
 * logged.
 */
export function createRpcHandler(handler: Handler, service: RpcHandlerOptions): (message: ServiceMsg) => Promise<void> {
  return async (message) => {
    const caller = authenticate(message, { handler, service })
    if (!caller) return rejectRequest(message)
    const started = performance.now()
    const span = startSpan(handler.operation.subject, 'server', message.headers?.get(headers.traceparent))
    const { traceparent } = span
    let status = 200
    let failure: unknown
    try {
      const bytes = encodeReply(await handle(caller), { message, handler, service })
      await publishBatched(() => void message.respond(bytes))
    } catch (error) {
      const apiError = toApiError(error, handler.operation)
      if (apiError !== error) failure = error
      status = apiError.status
      service.onError?.(handler.operation, apiError)
      await publishBatched(() => respondError(message, apiError))
    }
    span.end({ failed: failure })
    const seconds = (performance.now() - started) / 1000
    duration.observe({ operation: handler.operation.subject, status }, seconds)
    service.log[logLevel({ handler, failed: failure !== undefined, status, seconds })](
      {
        request_id: message.headers?.get(headers.requestId) || undefined,
        trace_id: traceparent.slice(3, 35),
        status,
        duration_ms: Math.round(seconds * 1e6) / 1e3,
        ...(failure !== undefined && { err: failure }),
      },
      `${handler.operation.subject}.handled`,
    )

    async function handle(caller: Caller): Promise<unknown> {
      const slot = callerTenant(caller) ?? handler.operation.subject
      const inSlot: InSlot = (work) => service.slots.run(slot, work)
      const run = (inSlotOfStage: InSlot) => {
        const now = new Date()
        const assertInTime = () => assertBeforeDeadline(message, new Date())
        assertInTime()
        const request = parseRequest(handler.operation, decodeText(message))
        const key = message.headers?.get(headers.idempotencyKey)
        const unit = { now, traceparent, log: service.log }
        return runHandler(handler, { request, caller, key, unit, database: service.database, inSlot: inSlotOfStage, assertInTime })
      }
      // A call of another system may take seconds, and holds neither a connection nor a slot.
      return handler.kind === 'staged' ? run(inSlot) : inSlot(() => run((work) => work()))
    }
  }
}

/**
 * Returns the caller; null if the sender may not make the request. The gateway acts for every caller except the operator, and cannot call
 * operator-only operations: a stolen gateway key grants only what its users may do.
 */
function authenticate(
  message: ServiceMsg,
  { handler: { operation }, service }: { handler: Handler; service: RpcHandlerOptions },
): Caller | null {
  const { subject, data: body } = message
  const verified = verifyRequest(service.identity, { subject, headers: message.headers, body })
  if (typeof verified === 'object') {
    const caller = verified.rejected === 'unsigned' && service.acceptsUnsigned ? readCaller(message) : null
    if (!caller) reportRejection(service.log, { kind: 'request', subject: operation.subject, reason: verified.rejected })
    return caller
  }
  const caller = readCaller(message)
  const isOpen = verified === 'operator' || (operation.audience !== 'operator' && caller?.kind !== 'operator')
  if (caller && subject === operation.subject && isOpen) return caller
  reportRejection(service.log, { kind: 'request', subject: operation.subject, reason: 'not-permitted' })
  return null
}

/**
 * The sender learns only that the request was rejected, and only in an inbox: a forged reply subject could be one that this service may
 * publish to.
 */
function rejectRequest(message: ServiceMsg): void {
  if (!message.reply?.startsWith('_INBOX_')) return
  respondError(message, new ServiceUnavailable('The request was not authenticated.'))
}

/** Seconds from which a successful request is logged at level `info`. */
const slowSeconds = 0.1

/** Successful requests are in the gateway's access log, with the same ids; a second line for each would double the cost of logging. */
function logLevel({
  handler,
  failed,
  status,
  seconds,
}: {
  handler: Handler
  failed: boolean
  status: number
  seconds: number
}): 'error' | 'info' | 'debug' {
  if (failed) return 'error'
  const isLoggedByGateway = handler.kind === 'query' || handler.operation.http !== undefined
  return isLoggedByGateway && status === 200 && seconds < slowSeconds ? 'debug' : 'info'
}

/** The client library uses a `TextDecoder`, which costs several times as much for short texts. */
function decodeText({ data }: ServiceMsg): string {
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString()
}

/** The caller has already timed out: processing the request would only add load. */
function assertBeforeDeadline(message: ServiceMsg, now: Date): void {
  const deadline = Number(message.headers?.get(headers.deadline) || Infinity)
  if (deadline < now.getTime()) throw new ServiceUnavailable('The request arrived after its deadline.')
}

/** Returns null for a header without a caller: not even the gateway may end a process with it. */
function readCaller(message: ServiceMsg): Caller | null {
  const text = message.headers?.get(headers.caller)
  if (!text) return { kind: 'anonymous' }
  try {
    const caller = JSON.parse(text) as Caller | null
    return typeof caller?.kind === 'string' ? caller : null
  } catch {
    return null
  }
}

/** Declared errors are returned unchanged. Anything else becomes `InternalServerError`; its message is not exposed. */
function toApiError(error: unknown, operation: Operation): ApiError {
  if (error instanceof ApiError && [...operation.errors, ...common].some((listed) => error instanceof listed)) return error
  if (isDatabaseUnavailable(error)) return new ServiceUnavailable('The service cannot reach its database. Retry later.')
  if (isDatabaseTimeout(error)) return new ServiceUnavailable('The request took too long in the database. Retry later.')
  return new InternalServerError('An internal error occurred.')
}

/**
 * Encodes a reply. One above the size limit would fail in the client library, and the caller would see only a timeout. A page of several
 * items can be requested with a smaller limit.
 */
function encodeReply(
  reply: unknown,
  { message, handler, service }: { message: ServiceMsg; handler: Handler; service: RpcHandlerOptions },
): Buffer {
  const bytes = Buffer.from(typeof reply === 'string' ? reply : JSON.stringify(reply ?? null))
  const maxBytes = maxPayloadBytes(service.connection) - headersBytes
  if (bytes.length <= maxBytes) return bytes
  if (isPaged(handler.operation) && readLimit(message) !== 1) throw new RequestValidationError([pageTooLarge])
  throw new Error(`The reply is too large to send: ${bytes.length} bytes; the maximum is ${maxBytes}`)
}

const isPaged = ({ request }: Operation) => request instanceof z.ZodObject && 'limit' in request.shape
const readLimit = (message: ServiceMsg) => (JSON.parse(decodeText(message) || '{}') as { limit?: unknown }).limit

function respondError(message: ServiceMsg, error: ApiError): void {
  const replyHeaders = natsHeaders()
  if (error.retryAfterSeconds) replyHeaders.set('retry-after', String(error.retryAfterSeconds))
  message.respondError(error.status, error.name, Buffer.from(JSON.stringify(error.toBody())), { headers: replyHeaders })
}
