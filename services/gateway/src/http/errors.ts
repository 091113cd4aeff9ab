import type { Duplex } from 'node:stream'
import {
  ApiError,
  BadRequest,
  ContentTooLarge,
  InternalServerError,
  MethodNotAllowed,
  RequestValidationError,
  ResourceNotFound,
  UnsupportedMediaType,
} from '@quittance/contracts/errors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Challenge } from '../access/challenge.ts'
import { toProblemDetails, acceptsProblemDetails } from './problem-details.ts'

/** Code of Fastify's error for a body above the limit of its path. */
export const bodyTooLarge = 'FST_ERR_CTP_BODY_TOO_LARGE'

/** Maps errors that Fastify throws before a route runs to errors of the contract. */
function translate(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  const { code, statusCode } = error as { code?: string; statusCode?: number }
  switch (code) {
    case bodyTooLarge:
      return new ContentTooLarge('The request body is too large.')
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new UnsupportedMediaType('The request body must be application/json.')
    default:
      return statusCode && statusCode < 500
        ? new BadRequest('The request is malformed.')
        : new InternalServerError('An internal error occurred.')
  }
}

/** Sends every error of the gateway as `{ error, detail }`. Internal errors are logged with their stack and sent without it. */
export function addErrorHandlers(app: FastifyInstance, challenge: Challenge): void {
  app.setErrorHandler((error, request, reply) => {
    const { invalid } = request.routeOptions.config
    const translated = translate(error)
    const apiError = invalid && translated instanceof RequestValidationError ? invalid(translated.issues) : translated
    if (apiError instanceof InternalServerError) request.log.error({ err: error }, 'request.failed')
    const challenges = challenge(apiError, { http: request.routeOptions.config.http, authorization: request.headers.authorization })
    if (challenges.length > 0) reply.header('www-authenticate', challenges)
    return sendError(reply, apiError)
  })
  app.setNotFoundHandler((request, reply) => sendError(reply, new ResourceNotFound(describeUnknownPath(request))))
}

/** Longer paths are shown in part. */
const maxShownPath = 200

/** Distinguishes a path without operations from an object that does not exist. */
function describeUnknownPath({ method, url }: FastifyRequest): string {
  const [path = ''] = url.split('?')
  return `There is no operation ${method} ${path.slice(0, maxShownPath)}.`
}

/** Time for the client to read the reply. */
const closeWithinMs = 1_000

/**
 * Answers what Node rejects before there is a request: headers that are too large or too slow, or data that is not HTTP. The connection ends
 * even if the client does not close its side, or continues to send.
 */
export function handleClientError({ code }: { code?: string }, socket: Duplex): void {
  if (code === 'ECONNRESET') return void socket.destroy()
  setTimeout(() => socket.destroy(), closeWithinMs).unref()
  if (!socket.writable) return
  const [status, error, detail] =
    code === 'HPE_HEADER_OVERFLOW'
      ? ['431 Request Header Fields Too Large', 'RequestHeaderFieldsTooLarge', 'The URL and the headers are too long.']
      : code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? ['408 Request Timeout', 'RequestTimeout', 'The request did not arrive in time.']
        : ['400 Bad Request', 'BadRequest', 'The request is malformed.']
  const body = JSON.stringify({ error, detail })
  const head = `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`
  socket.end(head + body)
}

function sendError(reply: FastifyReply, error: ApiError): FastifyReply {
  if (error.retryAfterSeconds) reply.header('retry-after', error.retryAfterSeconds)
  // A response that is rejected once its body is known had headers of that body.
  reply.code(error.status).header('cache-control', 'no-store').removeHeader('etag')
  if (!acceptsProblemDetails(reply.request.headers.accept)) return reply.type('application/json').send(JSON.stringify(error.toBody()))
  return reply.type('application/problem+json').send(JSON.stringify(toProblemDetails(error.status, error.toBody())))
}

/** Returns a handler for methods that a known path does not support. */
export function methodNotAllowed(allowed: readonly string[]) {
  return (_request: FastifyRequest, reply: FastifyReply) =>
    sendError(reply.header('allow', allowed.join(', ')), new MethodNotAllowed(`Allowed methods: ${allowed.join(', ')}.`))
}

/** Creates the error for a body that is not JSON or not an object. */
export function createBodyError(msg: string, type: string): RequestValidationError {
  return new RequestValidationError([{ loc: ['body'], msg, type }])
}
