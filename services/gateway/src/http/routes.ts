import type { HttpBinding, PublicOperation } from '@quittance/contracts/operation'
import type { NatsConnection } from '@quittance/runtime/nats'
import { forward } from '@quittance/runtime/request'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { admit } from '../access/admit.ts'
import type { Challenge } from '../access/challenge.ts'
import type { Verifier } from '../access/verifier.ts'
import { senderOf } from './answer.ts'
import { askForRead } from './ask-owner.ts'
import { answerOptions } from './cors.ts'
import { methodNotAllowed } from './errors.ts'
import { idempotencyKeyOf, requestEncoder } from './request-encoder.ts'
import { sendDocument } from './send-document.ts'

/** What every route needs. */
export interface Doorway {
  connection: NatsConnection
  verifier: Verifier
  challenge: Challenge
  timeoutMs: number
  /** Public address of the API. */
  baseUrl: string
}

/** All of them: a route per public operation, `OPTIONS`, and a 405 for every other method of its path. */
export function addRoutes(app: FastifyInstance, operations: readonly PublicOperation[], doorway: Doorway): void {
  const methodsByPath = Map.groupBy(operations, ({ http }) => urlOf(http))
  for (const operation of operations) addRoute(app, operation, doorway)
  for (const [url, there] of methodsByPath) {
    const own = there.flatMap(({ http }) => (http.method === 'GET' ? ['GET', 'HEAD'] : [http.method]))
    const allowed = [...new Set([...own, 'OPTIONS'])]
    const others = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((method) => !allowed.includes(method))
    app.route({ method: 'OPTIONS', url, handler: answerOptions(allowed) })
    app.route({ method: others, url, handler: methodNotAllowed(allowed) })
  }
}

function urlOf({ path }: HttpBinding): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

function addRoute(app: FastifyInstance, operation: PublicOperation, doorway: Doorway): void {
  const { http } = operation
  app.route({ method: http.method, url: urlOf(http), exposeHeadRoute: true, config: { http }, handler: handlerOf(operation, doorway) })
}

function handlerOf(operation: PublicOperation, doorway: Doorway) {
  const { connection, verifier, timeoutMs } = doorway
  const { http, subject } = operation
  const encode = requestEncoder(operation)
  const send = senderOf(operation, doorway)
  const ask = http.method === 'GET' ? askForRead : forward
  const changesPeople = http.method !== 'GET' && subject.startsWith('auth.')
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    // One time for everything that is asked on the way.
    const until = Date.now() + timeoutMs
    const { caller, header } = await admit(verifier, { http, message: request.raw })
    if ('token_id' in caller) request.tokenId = caller.token_id
    const body = encode(request)
    const envelope = {
      caller: header,
      timeoutMs: Math.max(1, until - Date.now()),
      requestId: request.id,
      traceparent: request.traceparent,
      tracestate: traceStateOf(request),
      idempotencyKey: idempotencyKeyOf(request),
    }
    const question = { subject, body, envelope }
    const answer = await ask(connection, question)
    if (http.document && answer.status === null) {
      return sendDocument({ document: http.document, answer, question: [connection, question] }, request, reply)
    }
    if (changesPeople && answer.status === null && caller.kind === 'user') verifier.forgetPerson(caller.user_id)
    return send(answer, request, reply)
  }
}

/** Means nothing without the trace it belongs to (W3C Trace Context §3.3). */
function traceStateOf({ headers: { traceparent, tracestate } }: FastifyRequest): string | undefined {
  return traceparent && typeof tracestate === 'string' && tracestate.length <= 512 ? tracestate : undefined
}
