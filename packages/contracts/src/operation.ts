import type { z } from 'zod'
import type { CallerKind } from './caller.ts'
import type { ApiError, ErrorClass, ValidationIssue } from './errors.ts'
import type { PersonalScope } from './scopes.ts'

/** HTTP binding of an operation. Operations without one are for other services only. */
export interface HttpBinding {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** `{name}` binds a key of the request. Collections end with a slash if they do in the public contract; both forms are accepted. */
  path: `/v1/${string}`
  /** Status of the successful response. */
  status: 200 | 201 | 202 | 204
  /** Any one of these suffices; empty if no credential is required. */
  scopes: readonly PersonalScope[]
  /**
   * The reply is one part of a document: a `DocumentPart`. The gateway repeats the request with `after: next` until `next` is null, and
   * sends the texts as one document of this type.
   */
  document?: { contentType: string; fileName: string }
  /**
   * The body is taken as bytes of any content type: the request is `{ …path, headers, body }` with the named headers, as far as they were
   * sent, and the body in base64. Requests are counted by the path, not by the address: few addresses send all of them.
   */
  raw?: { limitBytes: number; headers: readonly string[] }
  /** Maximum size of the JSON body, if it is not the one of the gateway. */
  bodyLimitBytes?: number
  /**
   * Accepted kinds of caller. `anonymous` alone: a credential is ignored. `anonymous` with others: the credential is optional, and verified
   * if present.
   */
  callers: readonly CallerKind[]
  /**
   * Keys of the body that identify the object an anonymous caller acts on, if the path does not. An `Idempotency-Key` belongs to that
   * object.
   */
  actsOn?: readonly string[]
  /** The owner limits attempts by the network of the client, which the gateway adds to an anonymous caller and to a customer. */
  limitedByNetwork?: true
}

/**
 * The only description of an endpoint. Gateway route, NATS responder, OpenAPI page, typed client and NATS permissions are derived from it.
 *
 * The request is one flat object: path variables bind first; the remaining keys come from the query for GET and DELETE and from the body
 * otherwise.
 */
export interface Operation<Request extends z.ZodType = z.ZodType, Reply extends z.ZodType = z.ZodType> {
  /** `‹service›.‹aggregate›.‹verb›`; the first token names the owner. */
  subject: `${string}.${string}.${string}`
  /** One sentence in the imperative. */
  summary: string
  http?: HttpBinding
  request: Request
  reply: Reply
  /** Every `ApiError` the owner may return, besides the common errors of the gateway (401, 403 scope, 422 shape, 429, 500, 503). */
  errors: readonly ErrorClass[]
  /** Creates the error for a request of invalid shape, if a standard defines its own; default `RequestValidationError`. */
  invalid?: (issues: readonly ValidationIssue[]) => ApiError
  /** Set on operations whose HTTP interface is served by the owner itself, or that only the operator's tools call. */
  audience?: 'gateway' | 'operator'
}

/** Defines an operation; the types of request and reply are inferred. */
export function operation<Request extends z.ZodType, Reply extends z.ZodType>(
  description: Operation<Request, Reply>,
): Operation<Request, Reply> {
  return description
}

/** An operation with an HTTP binding. */
export type PublicOperation = Operation & { http: HttpBinding }

/** Request as passed to the handler: parsed, with defaults. */
export type RequestOf<O extends Operation> = z.output<O['request']>
/** Request as sent by a client: keys with defaults are optional. */
export type RequestInput<O extends Operation> = z.input<O['request']>
/** Reply as returned by the handler. */
export type ReplyOf<O extends Operation> = z.output<O['reply']>

const variables = new WeakMap<HttpBinding, string[]>()

/** Returns the names of the path variables, in order. */
export function pathVariables(http: HttpBinding): readonly string[] {
  const cached = variables.get(http)
  if (cached) return cached
  const names = [...http.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string)
  variables.set(http, names)
  return names
}

/** Returns the source of a key of the flat request; first element of a validation error's `loc`. */
export function requestLocation(http: HttpBinding | undefined, key: string): 'path' | 'query' | 'body' {
  if (!http) return 'body'
  if (pathVariables(http).includes(key)) return 'path'
  return http.method === 'GET' || http.method === 'DELETE' ? 'query' : 'body'
}
