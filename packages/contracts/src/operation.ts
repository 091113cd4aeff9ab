import type { z } from 'zod'
import type { CallerKind } from './caller.ts'
import type { ErrorClass } from './errors.ts'
import type { Scope } from './scopes.ts'

/** How an operation is met over HTTP. Operations without it are for other services only. */
export interface HttpBinding {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** `{name}` binds a key of the request. Collections end with a slash where the public contract does; both forms are answered. */
  path: `/v1/${string}`
  /** Status of the successful answer. */
  status: 200 | 201 | 202 | 204
  /** Any one of these is enough; empty where no credential is asked for. */
  scopes: readonly Scope[]
  /**
   * The reply is one part of a document: a `DocumentPart`. The gateway asks on with `after: next` until `next` is null, and sends the
   * texts as one document of this type.
   */
  document?: { contentType: string; fileName: string }
  /**
   * Kinds of caller that may come in. `anonymous` alone: a credential is ignored. `anonymous` beside others: the credential
   * is optional, and checked when there is one.
   */
  callers: readonly CallerKind[]
}

/**
 * The only description of an endpoint. Gateway route, NATS responder, OpenAPI page, typed client and NATS permissions are
 * derived from it.
 *
 * The request is one flat object: path variables bind first; the rest is the query for GET and DELETE and the body otherwise.
 */
export interface Operation<Request extends z.ZodType = z.ZodType, Reply extends z.ZodType = z.ZodType> {
  /** `‹service›.‹aggregate›.‹verb›`; the first token names the owner. */
  subject: `${string}.${string}.${string}`
  /** One sentence in the imperative. */
  summary: string
  http?: HttpBinding
  request: Request
  reply: Reply
  /** Every `ApiError` the owner may answer with, besides the common ones of the door (401, 403 scope, 422 shape, 429, 500, 503). */
  errors: readonly ErrorClass[]
  /** Set on operations that are answered over HTTP by the owner itself or that only the operator's tools call. */
  audience?: 'gateway' | 'operator'
}

/** Describes an operation; the types of request and reply are inferred. */
export function operation<Request extends z.ZodType, Reply extends z.ZodType>(
  description: Operation<Request, Reply>,
): Operation<Request, Reply> {
  return description
}

/** An operation met over HTTP. */
export type PublicOperation = Operation & { http: HttpBinding }

/** What the handler is given: parsed, defaults filled in. */
export type RequestOf<O extends Operation> = z.output<O['request']>
/** What a client sends: defaults may be left out. */
export type RequestInput<O extends Operation> = z.input<O['request']>
/** What the handler answers. */
export type ReplyOf<O extends Operation> = z.output<O['reply']>

const variables = new WeakMap<HttpBinding, string[]>()

/** Names of the path variables, in order. */
export function pathVariables(http: HttpBinding): readonly string[] {
  const known = variables.get(http)
  if (known) return known
  const names = [...http.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string)
  variables.set(http, names)
  return names
}

/** Where a key of the flat request came from; first element of a validation error's `loc`. */
export function requestPlace(http: HttpBinding | undefined, key: string): 'path' | 'query' | 'body' {
  if (!http) return 'body'
  if (pathVariables(http).includes(key)) return 'path'
  return http.method === 'GET' || http.method === 'DELETE' ? 'query' : 'body'
}
