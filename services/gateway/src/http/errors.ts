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
import { problemOf, wantsProblem } from './problem.ts'

/** What Fastify refuses before a route runs, in the words of the contract. */
function translate(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  const { code, statusCode } = error as { code?: string; statusCode?: number }
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ContentTooLarge('The request body is too large.')
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new UnsupportedMediaType('The request body must be application/json.')
    default:
      return statusCode && statusCode < 500
        ? new BadRequest('The request cannot be read.')
        : new InternalServerError('Something went wrong on our side.')
  }
}

/** Every refusal of the door goes out as `{ error, detail }`; faults of ours are logged with their stack and told without. */
export function answerErrors(app: FastifyInstance, challenge: Challenge): void {
  app.setErrorHandler((error, request, reply) => {
    const told = translate(error)
    if (told instanceof InternalServerError) request.log.error({ err: error }, 'request.failed')
    const challenges = challenge(told, { http: request.routeOptions.config.http, authorization: request.headers.authorization })
    if (challenges.length > 0) reply.header('www-authenticate', challenges)
    return sendError(reply, told)
  })
  app.setNotFoundHandler((_request, reply) => sendError(reply, new ResourceNotFound()))
}

/** Answers a fault as the contract does, before a route is known. */
export function answerError(reply: FastifyReply, error: unknown): FastifyReply {
  return sendError(reply, translate(error))
}

/** Answers what Node refuses before there is a request: a head that is too large or too slow, or no HTTP. */
export function answerClientError({ code }: { code?: string }, socket: Duplex): void {
  if (code === 'ECONNRESET' || !socket.writable) return
  const [status, error, detail] =
    code === 'HPE_HEADER_OVERFLOW'
      ? ['431 Request Header Fields Too Large', 'RequestHeaderFieldsTooLarge', 'The address and the headers are too long.']
      : code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? ['408 Request Timeout', 'RequestTimeout', 'The request did not arrive in time.']
        : ['400 Bad Request', 'BadRequest', 'The request cannot be read.']
  const body = JSON.stringify({ error, detail })
  const head = `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`
  socket.end(head + body)
}

function sendError(reply: FastifyReply, error: ApiError): FastifyReply {
  if (error.retryAfterSeconds) reply.header('retry-after', error.retryAfterSeconds)
  reply.code(error.status).header('cache-control', 'no-store')
  if (!wantsProblem(reply.request.headers.accept)) return reply.type('application/json').send(JSON.stringify(error.toBody()))
  return reply.type('application/problem+json').send(JSON.stringify(problemOf(error.status, error.toBody())))
}

/** The answer to a method that a known path does not have. */
export function methodNotAllowed(allowed: readonly string[]) {
  return (_request: FastifyRequest, reply: FastifyReply) =>
    sendError(reply.header('allow', allowed.join(', ')), new MethodNotAllowed(`Allowed here: ${allowed.join(', ')}.`))
}

/** A body that is not JSON, or not an object. */
export function unreadableBody(msg: string, type: string): RequestValidationError {
  return new RequestValidationError([{ loc: ['body'], msg, type }])
}
