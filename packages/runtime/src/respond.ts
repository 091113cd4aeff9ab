import type { Caller } from '@quittance/contracts/caller'
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
import { Histogram } from 'prom-client'
import { z } from 'zod'
import type { Database } from './database.ts'
import type { CommandContext, Handler, QueryContext } from './handler.ts'
import { metrics } from './health.ts'
import { AnsweredBefore, isRepeatable, runOnce } from './idempotency.ts'
import type { Logger } from './log.ts'
import { maxPayload } from './nats.ts'
import { together } from './together.ts'
import { startSpan } from './trace.ts'
import { rowsWith, runInTransaction } from './transaction.ts'
import { requestParser } from './validation.ts'
import { readFor } from './read.ts'

/** Errors any public operation may meet before its handler runs; never listed. */
const common: readonly (abstract new (...parameters: never[]) => ApiError)[] = [
  RequestValidationError,
  NotPermitted,
  Conflict,
  ServiceUnavailable,
]

const duration = new Histogram({
  name: 'request_duration_seconds',
  help: 'Time to answer a request, by operation and status.',
  labelNames: ['operation', 'status'],
  buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
  registers: [metrics],
})

/** Room for the headers beside the reply in what a message may hold. */
const headersBytes = 1_024
const pageTooLarge = {
  loc: ['query', 'limit'],
  msg: 'Must be smaller: the items of this page are too large for one answer.',
  type: 'value_error',
}

/** What answering needs. */
export interface Responder {
  connection: NatsConnection
  database: Database | null
  log: Logger
  /** Told of every error answered; tests count which declared errors were really seen. */
  onError?: (operation: Operation, error: ApiError) => void
}

/** A NATS endpoint handler for one operation. Every request is answered, whatever happens. */
export function responder(handler: Handler, service: Responder): (message: ServiceMsg) => Promise<void> {
  const parse = requestParser(handler.operation)
  return async (message) => {
    const started = performance.now()
    const now = new Date()
    const span = startSpan(handler.operation.subject, 'server', message.headers?.get(headers.traceparent))
    const { traceparent } = span
    let status = 200
    let failure: unknown
    try {
      const bytes = bytesOf(await answer(), { handler, service })
      await together(() => void message.respond(bytes))
    } catch (error) {
      const told = toApiError(error, handler.operation)
      if (told !== error) failure = error
      status = told.status
      service.onError?.(handler.operation, told)
      await together(() => respondError(message, told))
    }
    span.end({ failed: failure })
    const seconds = (performance.now() - started) / 1000
    duration.observe({ operation: handler.operation.subject, status }, seconds)
    service.log[levelOf({ handler, failed: failure !== undefined, status, seconds })](
      {
        request_id: message.headers?.get(headers.requestId) || undefined,
        trace_id: traceparent.slice(3, 35),
        status,
        duration_ms: Math.round(seconds * 1e6) / 1e3,
        ...(failure !== undefined && { err: failure }),
      },
      `${handler.operation.subject}.handled`,
    )

    async function answer(): Promise<unknown> {
      refuseLate(message, now)
      const caller = callerOf(message)
      const request = parse(textOf(message))
      if (handler.kind === 'command') {
        let log: Logger | undefined
        // Most commands say nothing of their own.
        const unit = {
          now,
          traceparent,
          get log() {
            return (log ??= service.log.child({ trace_id: traceparent.slice(3, 35) }))
          },
        }
        const key = message.headers?.get(headers.idempotencyKey)
        return runInTransaction(demand(service.database), { caller, unit }, async (transaction, open) => {
          const { rows } = transaction
          const run = async () => handler.run(request as never, Object.assign(transaction, { caller }) satisfies CommandContext)
          if (!key || !isRepeatable(handler.operation)) return run()
          return runOnce({ operation: handler.operation, caller, key, request }, { ...open, rows }, run)
        }).catch(replyOfBefore)
      }
      const execute = service.database ? service.database.execute : () => Promise.reject(new Error('This service has no database'))
      return handler.run(request as never, {
        now,
        log: service.log,
        traceparent,
        caller,
        read: readFor(caller, execute),
        rows: rowsWith(execute),
      } satisfies QueryContext)
    }
  }
}

/** Seconds after which an answer is worth a line of its own. */
const slowSeconds = 0.1

/** What went well is told by the gateway's access log, under the same ids; a second line for each would double what logging costs. */
function levelOf({
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
  const isToldAtTheDoor = handler.kind === 'query' || handler.operation.http !== undefined
  return isToldAtTheDoor && status === 200 && seconds < slowSeconds ? 'debug' : 'info'
}

/** The client library decodes with a `TextDecoder`, which costs several times as much for short texts. */
function textOf({ data }: ServiceMsg): string {
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString()
}

function replyOfBefore(error: unknown): string {
  if (error instanceof AnsweredBefore) return error.reply
  throw error
}

function demand(database: Database | null): Database {
  if (!database) throw new Error('A command needs a database')
  return database
}

/** The caller gave up already: working on would only add load when there is too much of it. */
function refuseLate(message: ServiceMsg, now: Date): void {
  const deadline = Number(message.headers?.get(headers.deadline) || Infinity)
  if (deadline < now.getTime()) throw new ServiceUnavailable('The request arrived after its deadline.')
}

function callerOf(message: ServiceMsg): Caller {
  const text = message.headers?.get(headers.caller)
  return text ? (JSON.parse(text) as Caller) : { kind: 'anonymous' }
}

/** A listed error goes out as it is; anything else is a fault of ours, and its text stays here. */
function toApiError(error: unknown, operation: Operation): ApiError {
  if (error instanceof ApiError && [...operation.errors, ...common].some((listed) => error instanceof listed)) return error
  if (isUnavailable(error)) return new ServiceUnavailable('The service cannot reach its database right now.')
  return new InternalServerError('Something went wrong on our side.')
}

/** Failures of PostgreSQL's connections and resources, a full disk among them: worth trying again, and nothing of ours is wrong. Where names are given to what runs, a server that is down has none. */
export function isUnavailable(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code = (cause as { code?: unknown }).code
    if (
      typeof code === 'string' &&
      /^(57P0[123]|08...|53...|25006|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/.test(code)
    )
      return true
    if (/Connection terminated|timeout exceeded when trying to connect|timeout expired|is not queryable/.test(cause.message)) return true
    const previous = (cause as { previous?: unknown }).previous
    if (previous && isUnavailable(previous)) return true
  }
  return false
}

/** Too large a reply would fail in the client library, and the caller would only see a timeout. A page can be asked for in smaller ones. */
function bytesOf(reply: unknown, { handler, service }: { handler: Handler; service: Responder }): Buffer {
  const bytes = Buffer.from(typeof reply === 'string' ? reply : JSON.stringify(reply ?? null))
  const most = maxPayload(service.connection) - headersBytes
  if (bytes.length <= most) return bytes
  if (isPaged(handler.operation)) throw new RequestValidationError([pageTooLarge])
  throw new Error(`The reply is too large to send: ${bytes.length} bytes, and ${most} are possible`)
}

const isPaged = ({ request }: Operation) => request instanceof z.ZodObject && 'limit' in request.shape

function respondError(message: ServiceMsg, error: ApiError): void {
  const extra = natsHeaders()
  if (error.retryAfterSeconds) extra.set('retry-after', String(error.retryAfterSeconds))
  message.respondError(error.status, error.name, Buffer.from(JSON.stringify(error.toBody())), { headers: extra })
}
