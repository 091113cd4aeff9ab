import { callerTenant, withNetwork } from '@quittance/contracts/caller'
import type { HttpBinding, PublicOperation } from '@quittance/contracts/operation'
import type { NatsConnection } from '@quittance/runtime/nats-connection'
import { clientNetwork } from '@quittance/runtime/client-network'
import { forward } from '@quittance/runtime/rpc-client'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { authorizeRequest } from '../access/authorize-request.ts'
import type { Challenge } from '../access/challenge.ts'
import type { Verifier } from '../access/verifier.ts'
import { createReplySender } from './send-reply.ts'
import { requestWithRetry } from './retry-read.ts'
import { createOptionsHandler } from '../http/cors.ts'
import { methodNotAllowed } from '../http/errors.ts'
import type { LoadShedder } from '../http/load-shedding.ts'
import { readIdempotencyKey, requestEncoder } from './request-encoder.ts'
import { sendDocument } from './document-stream.ts'

/** Dependencies of every route. */
export interface RouteDependencies {
  connection: NatsConnection
  verifier: Verifier
  challenge: Challenge
  loadShedder: LoadShedder
  timeoutMs: number
  /** Public address of the API. */
  baseUrl: string
}

/** Adds a route per public operation, plus `OPTIONS` and a 405 for every other method of its path. */
export function addOperationRoutes(app: FastifyInstance, operations: readonly PublicOperation[], dependencies: RouteDependencies): void {
  const methodsByPath = Map.groupBy(operations, ({ http }) => toRouteUrl(http))
  for (const operation of operations) addRoute(app, operation, dependencies)
  for (const [url, pathOperations] of methodsByPath) {
    const supported = pathOperations.flatMap(({ http }) => (http.method === 'GET' ? ['GET', 'HEAD'] : [http.method]))
    const allowed = [...new Set([...supported, 'OPTIONS'])]
    const others = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((method) => !allowed.includes(method))
    app.route({ method: 'OPTIONS', url, handler: createOptionsHandler(allowed) })
    app.route({ method: others, url, handler: methodNotAllowed(allowed) })
  }
}

function toRouteUrl({ path }: HttpBinding): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

function addRoute(app: FastifyInstance, operation: PublicOperation, dependencies: RouteDependencies): void {
  const { http, invalid } = operation
  const config = { http, ...(invalid && { invalid }) }
  const route = {
    method: http.method,
    url: toRouteUrl(http),
    exposeHeadRoute: true,
    config,
    ...(http.bodyLimitBytes !== undefined && { bodyLimit: http.bodyLimitBytes }),
    handler: createHandler(operation, dependencies),
  }
  if (http.raw) addRawRoute(app, route, http.raw.limitBytes)
  else app.route(route)
}

/** Adds a route in a scope that takes bytes of any content type. */
function addRawRoute(app: FastifyInstance, route: RouteOptions, bodyLimit: number): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, (_request, body, done) => done(null, body))
    scope.route({ ...route, bodyLimit })
  })
}

function createHandler(operation: PublicOperation, dependencies: RouteDependencies) {
  const { connection, verifier, loadShedder, timeoutMs } = dependencies
  const { http, subject } = operation
  const encode = requestEncoder(operation)
  const send = createReplySender(operation, dependencies)
  const forwardRequest = http.method === 'GET' ? requestWithRetry : forward
  const changesUsers = http.method !== 'GET' && subject.startsWith('auth.')
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    // One deadline for all calls of this request.
    const deadline = Date.now() + timeoutMs
    const { caller, header } = await authorizeRequest(verifier, { http, message: request.raw })
    if ('token_id' in caller) request.tokenId = caller.token_id
    const tenant = callerTenant(caller)
    if (tenant) loadShedder.assign(reply.raw, tenant)
    const body = encode(request)
    const envelope = {
      caller: http.limitedByNetwork ? JSON.stringify(withNetwork(caller, clientNetwork(request.clientIp))) : header,
      timeoutMs: Math.max(1, deadline - Date.now()),
      requestId: request.id,
      traceparent: request.traceparent,
      tracestate: readTraceState(request),
      idempotencyKey: readIdempotencyKey(request),
    }
    const rpcRequest = { subject, body, envelope }
    const rpcReply = await forwardRequest(connection, rpcRequest)
    if (http.document && rpcReply.status === null) {
      return sendDocument({ document: http.document, rpcReply, rpcRequest: [connection, rpcRequest] }, request, reply)
    }
    if (changesUsers && rpcReply.status === null && caller.kind === 'user') verifier.invalidateUser(caller.user_id)
    return send(rpcReply, request, reply)
  }
}

/** Returns `tracestate`, which has no meaning without its `traceparent` (W3C Trace Context §3.3). */
function readTraceState({ headers: { traceparent, tracestate } }: FastifyRequest): string | undefined {
  return traceparent && typeof tracestate === 'string' && tracestate.length <= 512 ? tracestate : undefined
}
