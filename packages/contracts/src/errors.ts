/** One violated rule of a request, in the format of the public API. */
export interface ValidationIssue {
  /** Location of the value: starts with `body`, `query` or `path`. */
  loc: (string | number)[]
  /** Human-readable sentence. */
  msg: string
  /** Machine-readable code: `missing`, `value_error`, `uuid_parsing`, … */
  type: string
}

interface ApiErrorOptions extends ErrorOptions {
  retryAfterSeconds?: number | undefined
}

/**
 * An error that callers must expect. It is sent as `{ error, detail }`; `error` is the class name, so renaming a class requires a dated
 * change. Anything thrown that is not an `ApiError` is a bug and is returned as `InternalServerError` without further detail.
 */
export abstract class ApiError extends Error {
  abstract readonly status: number
  /** Seconds to wait before a retry; sent as `Retry-After`. */
  readonly retryAfterSeconds?: number

  constructor(detail: string, { retryAfterSeconds, ...options }: ApiErrorOptions = {}) {
    super(detail, options)
    this.name = new.target.name
    if (retryAfterSeconds) this.retryAfterSeconds = retryAfterSeconds
  }

  /** The response body. */
  toBody(): Record<string, unknown> {
    return { error: this.name, detail: this.message }
  }
}

/** 422: the request does not have the shape or the values the operation requires. Nothing was written. */
export class RequestValidationError extends ApiError {
  readonly status = 422
  readonly issues: readonly ValidationIssue[]

  constructor(issues: readonly ValidationIssue[]) {
    super(issues.map((issue) => `${issue.loc.join('.')}: ${issue.msg}`).join('; '))
    this.issues = issues
  }

  /** Creates an error for a business rule violated by one field of the body, for example an e-mail address already in use. */
  static field(loc: (string | number)[], msg: string, type = 'value_error'): RequestValidationError {
    return new RequestValidationError([{ loc: ['body', ...loc], msg, type }])
  }

  override toBody(): Record<string, unknown> {
    return { error: this.name, detail: this.issues }
  }
}

/** An error whose `error` is the snake_case code of RFC 6749, 6750 or 7591 instead of a class name. */
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

/** 401: the credential is unknown, expired, revoked or of a kind this operation does not accept (RFC 6750 §3.1). */
export class InvalidToken extends OAuthError {
  readonly status = 401
  readonly code = 'invalid_token'
}

/** 400: several credentials were sent and it is ambiguous which one applies (RFC 6750 §3.1). */
export class InvalidRequest extends OAuthError {
  readonly status = 400
  readonly code = 'invalid_request'
}

/** 401: the proof of possession of a key-bound access token is invalid (RFC 9449 §7.1). */
export class InvalidDpopProof extends OAuthError {
  readonly status = 401
  readonly code = 'invalid_dpop_proof'
}

/** 403: the credential has none of the scopes the operation accepts (RFC 6750 §3.1). */
export class InsufficientScope extends OAuthError {
  readonly status = 403
  readonly code = 'insufficient_scope'
}

/** 401: the OAuth client does not exist or is not the caller's; the two cases are indistinguishable (RFC 7592 §2). */
export class InvalidClient extends OAuthError {
  readonly status = 401
  readonly code = 'invalid_client'
}

/** 400: a value of a client registration breaks a rule (RFC 7591 §3.2.2). */
export class InvalidClientMetadata extends OAuthError {
  readonly status = 400
  readonly code = 'invalid_client_metadata'
}

/** 400: codes may not be sent to a redirect URI of the request (RFC 7591 §3.2.2). */
export class InvalidRedirectUri extends OAuthError {
  readonly status = 400
  readonly code = 'invalid_redirect_uri'
}

/** 400: the request cannot be parsed. */
export class BadRequest extends ApiError {
  readonly status = 400
}

/** 403: the caller is authenticated but may not do this. */
export class NotPermitted extends ApiError {
  readonly status = 403
}

/** 404: the object does not exist or is not the caller's. The two cases are indistinguishable. */
export class ResourceNotFound extends ApiError {
  readonly status = 404

  /** `retryAfterSeconds` is set while the object is being created. */
  constructor(detail = 'Not found', options?: ApiErrorOptions) {
    super(detail, options)
  }
}

/** 405: the path exists, but not with this method. */
export class MethodNotAllowed extends ApiError {
  readonly status = 405
}

/** 409: the object was changed concurrently, or its state does not permit the operation. */
export class Conflict extends ApiError {
  readonly status = 409
}

/** 413: the body exceeds the size limit of the gateway. */
export class ContentTooLarge extends ApiError {
  readonly status = 413
}

/** 415: the body is not JSON. */
export class UnsupportedMediaType extends ApiError {
  readonly status = 415
}

/** 429: the documented rate limit is exceeded. */
export class TooManyRequests extends ApiError {
  readonly status = 429
  override readonly retryAfterSeconds: number

  constructor(detail: string, retryAfterSeconds: number) {
    super(detail)
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** 500: an internal error. The detail does not reveal its cause. */
export class InternalServerError extends ApiError {
  readonly status = 500
}

/** 503: no replica replied, or the reply would be too late. It is unknown whether anything was written. */
export class ServiceUnavailable extends ApiError {
  readonly status = 503
  override readonly retryAfterSeconds = 1
}

/** A class of `ApiError` as listed by an operation. */
export type ErrorClass = abstract new (...parameters: never[]) => ApiError
