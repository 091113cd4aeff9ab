/** One violated rule of a request, in the form the public API has always used. */
export interface ValidationIssue {
  /** Where: starts with `body`, `query` or `path`. */
  loc: (string | number)[]
  /** A sentence for a person. */
  msg: string
  /** A word for a program: `missing`, `value_error`, `uuid_parsing`, … */
  type: string
}

interface ApiErrorOptions extends ErrorOptions {
  retryAfterSeconds?: number | undefined
}

/**
 * An error the caller is expected to meet. It crosses the wire as `{ error, detail }`; `error` is the class name, so a class
 * is never renamed without a dated change. Anything thrown that is not an `ApiError` is a bug and is answered as
 * `InternalServerError` without a word more.
 */
export abstract class ApiError extends Error {
  abstract readonly status: number
  /** Seconds after which trying again makes sense; sent as `Retry-After`. */
  readonly retryAfterSeconds?: number

  constructor(detail: string, { retryAfterSeconds, ...options }: ApiErrorOptions = {}) {
    super(detail, options)
    this.name = new.target.name
    if (retryAfterSeconds) this.retryAfterSeconds = retryAfterSeconds
  }

  /** The body as the client reads it. */
  toBody(): Record<string, unknown> {
    return { error: this.name, detail: this.message }
  }
}

/** 422: the request does not have the shape or the values the operation asks for. Nothing was written. */
export class RequestValidationError extends ApiError {
  readonly status = 422
  readonly issues: readonly ValidationIssue[]

  constructor(issues: readonly ValidationIssue[]) {
    super(issues.map((issue) => `${issue.loc.join('.')}: ${issue.msg}`).join('; '))
    this.issues = issues
  }

  /** A business rule broken by one field of the body, for example an e-mail that is taken. */
  static field(loc: (string | number)[], msg: string, type = 'value_error'): RequestValidationError {
    return new RequestValidationError([{ loc: ['body', ...loc], msg, type }])
  }

  override toBody(): Record<string, unknown> {
    return { error: this.name, detail: this.issues }
  }
}

/** An error whose `error` is the snake_case word of RFC 6749, 6750 or 7591 instead of a class name. */
abstract class OAuthError extends ApiError {
  abstract readonly code: string

  override toBody(): Record<string, unknown> {
    return { error: this.code, error_description: this.message, detail: this.message }
  }
}

/** 401: no credential was sent. */
export class Unauthorized extends ApiError {
  readonly status = 401
}

/** 401: the credential is unknown, expired, revoked or of a kind this operation does not take (RFC 6750 §3.1). */
export class InvalidToken extends OAuthError {
  readonly status = 401
  readonly code = 'invalid_token'
}

/** 401: the proof of possession that came with a key-bound access token does not hold (RFC 9449 §7.1). */
export class InvalidDpopProof extends OAuthError {
  readonly status = 401
  readonly code = 'invalid_dpop_proof'
}

/** 403: the credential lacks every scope the operation accepts (RFC 6750 §3.1). */
export class InsufficientScope extends OAuthError {
  readonly status = 403
  readonly code = 'insufficient_scope'
}

/** 401: no such OAuth client, or not the caller's; the two are told apart by nobody (RFC 7592 §2). */
export class InvalidClient extends OAuthError {
  readonly status = 401
  readonly code = 'invalid_client'
}

/** 400: a value of a client registration breaks a rule (RFC 7591 §3.2.2). */
export class InvalidClientMetadata extends OAuthError {
  readonly status = 400
  readonly code = 'invalid_client_metadata'
}

/** 400: a redirect URI is not one that codes may be sent to (RFC 7591 §3.2.2). */
export class InvalidRedirectUri extends OAuthError {
  readonly status = 400
  readonly code = 'invalid_redirect_uri'
}

/** 400: the request cannot be read at all. */
export class BadRequest extends ApiError {
  readonly status = 400
}

/** 403: the caller is known but may not do this. */
export class NotPermitted extends ApiError {
  readonly status = 403
}

/** 404: there is no such object, or it is not the caller's. The two are told apart by nobody. */
export class ResourceNotFound extends ApiError {
  readonly status = 404

  /** `retryAfterSeconds` where the object is being made. */
  constructor(detail = 'Not found', options?: ApiErrorOptions) {
    super(detail, options)
  }
}

/** 405: the path exists, the method does not. */
export class MethodNotAllowed extends ApiError {
  readonly status = 405
}

/** 409: the object changed under the caller, or is in a state that excludes this. */
export class Conflict extends ApiError {
  readonly status = 409
}

/** 413: the body is larger than the gateway reads. */
export class ContentTooLarge extends ApiError {
  readonly status = 413
}

/** 415: the body is not JSON. */
export class UnsupportedMediaType extends ApiError {
  readonly status = 415
}

/** 429: the rate limit of the interface document. */
export class TooManyRequests extends ApiError {
  readonly status = 429
  override readonly retryAfterSeconds: number

  constructor(detail: string, retryAfterSeconds: number) {
    super(detail)
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** 500: a fault of ours. The sentence never says which. */
export class InternalServerError extends ApiError {
  readonly status = 500
}

/** 503: nobody answers, or the answer would come too late. Nothing is known to have been written. */
export class ServiceUnavailable extends ApiError {
  readonly status = 503
  override readonly retryAfterSeconds = 1
}

/** A class of `ApiError` as an operation lists it. */
export type ErrorClass = abstract new (...parameters: never[]) => ApiError
