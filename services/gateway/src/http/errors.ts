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
import type { HttpBinding } from '@quittance/contracts/operation'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { challenge } from '../access/admit.ts'

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
export function answerErrors(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => {
    if (translate(error) instanceof InternalServerError) request.log.error({ err: error }, 'request.failed')
    return answerError(reply, error, bindingOf(request))
  })
  app.setNotFoundHandler((_request, reply) => sendError(reply, new ResourceNotFound(), undefined))
}

function bindingOf(request: FastifyRequest): HttpBinding | undefined {
  return (request.routeOptions.config as { http?: HttpBinding }).http
}

/** Answers any fault as the contract does; also for faults before a route is known. */
export function answerError(reply: FastifyReply, error: unknown, http?: HttpBinding): FastifyReply {
  return sendError(reply, translate(error), http)
}

function sendError(reply: FastifyReply, error: ApiError, http: HttpBinding | undefined): FastifyReply {
  const wwwAuthenticate = challenge(error, http)
  if (wwwAuthenticate) reply.header('www-authenticate', wwwAuthenticate)
  if (error.retryAfterSeconds) reply.header('retry-after', error.retryAfterSeconds)
  return reply.code(error.status).type('application/json').send(JSON.stringify(error.toBody()))
}

/** The answer to a method that a known path does not have. */
export function methodNotAllowed(allowed: readonly string[]) {
  return (_request: FastifyRequest, reply: FastifyReply) =>
    sendError(reply.header('allow', allowed.join(', ')), new MethodNotAllowed(`Allowed here: ${allowed.join(', ')}.`), undefined)
}

/** A body that is not JSON, or not an object. */
export function unreadableBody(msg: string, type: string): RequestValidationError {
  return new RequestValidationError([{ loc: ['body'], msg, type }])
}
