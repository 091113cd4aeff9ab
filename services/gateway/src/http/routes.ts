import { BadRequest, ServiceUnavailable, Unauthorized } from '@quittance/contracts/errors'
import type { HttpBinding, PublicOperation } from '@quittance/contracts/operation'
import type { NatsConnection } from '@quittance/runtime/nats'
import { forward } from '@quittance/runtime/request'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { admit } from '../access/admit.ts'
import type { Challenge } from '../access/challenge.ts'
import type { Verifier } from '../access/verifier.ts'
import { deprecationOf } from './deprecation.ts'
import { documentOf, wantsJson, type Part } from './document-parts.ts'
import { methodNotAllowed, unreadableBody } from './errors.ts'
import { demandText, queryDecoder } from './query.ts'

/** What every route needs. */
export interface Doorway {
  connection: NatsConnection
  verifier: Verifier
  challenge: Challenge
  timeoutMs: number
  /** Public address of the API. */
  baseUrl: string
}

/** All of them: a route per public operation, and a 405 for every other method of its path. */
export function addRoutes(app: FastifyInstance, operations: readonly PublicOperation[], doorway: Doorway): void {
  const methodsByPath = Map.groupBy(operations, ({ http }) => urlOf(http))
  for (const operation of operations) addRoute(app, operation, doorway)
  for (const [url, there] of methodsByPath) {
    const allowed = [...new Set(there.flatMap(({ http }) => (http.method === 'GET' ? ['GET', 'HEAD'] : [http.method])))]
    const others = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((method) => !allowed.includes(method))
    app.route({ method: others, url, handler: methodNotAllowed(allowed) })
  }
}

function urlOf({ path }: HttpBinding): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

function addRoute(
  app: FastifyInstance,
  operation: PublicOperation,
  { connection, verifier, challenge, timeoutMs, baseUrl }: Doorway,
): void {
  const { http, subject } = operation
  const encode = requestEncoder(operation)
  const deprecation = deprecationOf(operation, baseUrl)
  const changesPeople = http.method !== 'GET' && subject.startsWith('auth.')
  app.route({
    method: http.method,
    url: urlOf(http),
    exposeHeadRoute: true,
    config: { http },
    async handler(request, reply) {
      const { caller, header } = await admit(verifier, { http, message: request.raw })
      if ('token_id' in caller) request.tokenId = caller.token_id
      const envelope = {
        caller: header,
        timeoutMs,
        requestId: request.id,
        traceparent: headerOf(request, 'traceparent'),
        idempotencyKey: idempotencyKeyOf(request),
      }
      const body = encode(request)
      const answer = await forward(connection, { subject, body, envelope })
      if (http.document && answer.status === null) {
        const asked = JSON.parse(Buffer.from(body).toString()) as object
        const ask = (after: string | null) =>
          askPart(connection, { subject, body: Buffer.from(JSON.stringify({ ...asked, after })), envelope })
        const { contentType, fileName } = http.document
        const asJson = wantsJson(request.headers.accept)
        return reply
          .headers({
            'content-type': asJson ? 'application/json' : contentType,
            'content-disposition': `attachment; filename="${fileName}"`,
            vary: 'Accept',
          })
          .send(documentOf({ first: readPart(answer), ask, asJson }))
      }
      if (changesPeople && answer.status === null && caller.kind === 'user') verifier.forgetPerson(caller.user_id)
      if (answer.retryAfter) reply.header('retry-after', answer.retryAfter)
      // An owner that asks for a credential says so in the body; which kinds there are, the door knows.
      if (answer.status === 401) reply.header('www-authenticate', challenge(new Unauthorized(''), request.headers))
      // Answers to changes can hold secrets that are shown once.
      if (http.method !== 'GET') reply.header('cache-control', 'no-store')
      reply.code(answer.status ?? http.status)
      if (answer.status === null && http.status === 204) return reply.send()
      if (answer.status === null) reply.headers(deprecation)
      return reply.header('content-type', 'application/json').send(answer.body)
    },
  })
}

async function askPart(connection: NatsConnection, request: Parameters<typeof forward>[1]) {
  const answer = await forward(connection, request)
  if (answer.status !== null) throw new ServiceUnavailable('A part of the document could not be read.')
  return readPart(answer)
}

function readPart({ body }: { body: Uint8Array }): Part {
  return JSON.parse(Buffer.from(body).toString())
}

function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name]
  return typeof value === 'string' && value.length <= 255 ? value : undefined
}

/** A key that cannot be kept must not be forgotten: the client counts on it. */
function idempotencyKeyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key
  throw new BadRequest('Idempotency-Key must be 1 to 255 visible ASCII characters.')
}

/** One flat object: query or body, with the path variables on top, so that a body cannot name another object. */
function requestEncoder(operation: PublicOperation): (request: FastifyRequest) => Uint8Array {
  if (operation.http.method === 'GET' || operation.http.method === 'DELETE') {
    const decode = queryDecoder(operation)
    return ({ raw, query, params }) => {
      demandText(raw.url ?? '')
      return Buffer.from(JSON.stringify({ ...decode(query as Record<string, string>), ...(params as object) }))
    }
  }
  return ({ body, params }) => Buffer.from(JSON.stringify({ ...objectOf(body), ...(params as object) }))
}

function objectOf(body: unknown): object {
  if (body === undefined || body === null) return {}
  if (typeof body !== 'object' || Array.isArray(body)) throw unreadableBody('The body must be a JSON object.', 'object_type')
  return body
}
