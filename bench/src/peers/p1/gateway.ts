/**
 * Process: the gateway of the peer. Without flags it is p1: it verifies each request's JWT, parses the reply and serializes it again. With
 * all flags it is px, the ideal path.
 */
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { fastify, type FastifyReply, type FastifyRequest } from 'fastify'
import { connect } from 'nats'
import { createLibraryRequests, createInboxRequests } from './nats-request.ts'
import { reportReady, setting } from './process.ts'
import { limitRate } from './rate-limit.ts'
import { jwtVerifier, cachedVerifier } from './verify-token.ts'

const flag = { type: 'boolean', default: false } as const
const { values: flags } = parseArgs({ options: { 'forward-bytes': flag, 'remember-tokens': flag, 'own-inbox': flag } })

const connection = await connect({ servers: setting('NATS_SERVER'), user: 'w0', pass: 'w0', name: setting('NAME'), noAsyncTraces: true })
const sendRequest = flags['own-inbox'] ? createInboxRequests(connection) : createLibraryRequests(connection)
const jwt = await jwtVerifier(JSON.parse(setting('PUBLIC_KEY')))
const verify = flags['remember-tokens'] ? cachedVerifier(jwt) : jwt
const name = setting('NAME')

const app = fastify({ logger: false })
app.addHook('onRequest', limitRate(100))
app.decorateRequest('organizationId', '')
app.addHook('onRequest', async (request, reply) => {
  const claims = await verify(request.headers.authorization).catch(() => null)
  if (!claims) return reply.code(401).header('www-authenticate', 'Bearer error="invalid_token"').send({ error: 'InvalidToken' })
  if (!claims.scopes.has('orders:read')) return reply.code(403).send({ error: 'InsufficientScope' })
  ;(request as Authenticated).organizationId = claims.organizationId
})

type Authenticated = FastifyRequest & { organizationId: string }

/** Sends the request to the service and returns its reply. */
async function forwardRequest(
  reply: FastifyReply,
  { subject, body, status }: { subject: string; body: object; status: number },
): Promise<unknown> {
  const message = await sendRequest(`${name}.${subject}`, JSON.stringify(body))
  const errorStatus = message.headers?.get('status')
  reply.code(errorStatus ? Number(errorStatus) : status)
  if (flags['forward-bytes']) return reply.header('content-type', 'application/json; charset=utf-8').send(message.data)
  return message.json()
}

const getOrganizationId = (request: unknown) => (request as Authenticated).organizationId

const params = { type: 'object', required: ['id'], properties: { id: { type: 'string', format: 'uuid' } } }
app.get<{ Params: { id: string } }>('/v1/orders/:id', { schema: { params } }, (request, reply) =>
  forwardRequest(reply, {
    subject: 'order.get',
    body: { id: request.params.id, organization_id: getOrganizationId(request) },
    status: 200,
  }),
)

const querystring = {
  type: 'object',
  properties: { page: { type: 'integer', minimum: 1, default: 1 }, limit: { type: 'integer', minimum: 1, maximum: 100, default: 10 } },
}
app.get<{ Querystring: { page: number; limit: number } }>('/v1/orders/', { schema: { querystring } }, (request, reply) =>
  forwardRequest(reply, { subject: 'order.list', body: { ...request.query, organization_id: getOrganizationId(request) }, status: 200 }),
)

const customer = {
  type: 'object',
  required: ['email'],
  properties: { email: { type: 'string', format: 'email' }, name: { type: 'string', maxLength: 256 } },
}
const headers = { type: 'object', required: ['idempotency-key'], properties: { 'idempotency-key': { type: 'string', maxLength: 255 } } }
app.post<{ Headers: { 'idempotency-key': string } }>('/v1/customers/', { schema: { body: customer, headers } }, (request, reply) =>
  forwardRequest(reply, {
    subject: 'customer.create',
    body: { key: request.headers['idempotency-key'], body: request.body, organization_id: getOrganizationId(request) },
    status: 201,
  }),
)

await app.listen({ host: '127.0.0.1', port: 0 })
reportReady((app.server.address() as AddressInfo).port)
