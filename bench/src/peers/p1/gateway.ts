/**
 * Process: the door of the peer. Without flags it is p1: each request's JWT is verified, the answer is parsed and written again.
 * With all flags it is px, the ideal path.
 */
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { fastify, type FastifyRequest } from 'fastify'
import { connect } from 'nats'
import { askWithLibrary, askWithOwnInbox } from './ask.ts'
import { announce, setting } from './process.ts'
import { limitRate } from './rate-limit.ts'
import { jwtVerifier, remembering } from './verify-token.ts'

const flag = { type: 'boolean', default: false } as const
const { values: flags } = parseArgs({ options: { 'forward-bytes': flag, 'remember-tokens': flag, 'own-inbox': flag } })

const connection = await connect({ servers: setting('NATS_SERVER'), user: 'w0', pass: 'w0', name: setting('NAME'), noAsyncTraces: true })
const ask = flags['own-inbox'] ? askWithOwnInbox(connection) : askWithLibrary(connection)
const jwt = await jwtVerifier(JSON.parse(setting('PUBLIC_KEY')))
const verify = flags['remember-tokens'] ? remembering(jwt) : jwt
const subject = `${setting('NAME')}.order.get`

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

const params = { type: 'object', required: ['id'], properties: { id: { type: 'string', format: 'uuid' } } }
app.get<{ Params: { id: string } }>('/v1/orders/:id', { schema: { params } }, async (request, reply) => {
  const { organizationId } = request as unknown as Authenticated
  const message = await ask(subject, JSON.stringify({ id: request.params.id, organization_id: organizationId }))
  const status = message.headers?.get('status')
  if (status) reply.code(Number(status))
  if (flags['forward-bytes']) return reply.header('content-type', 'application/json; charset=utf-8').send(message.data)
  return message.json()
})

await app.listen({ host: '127.0.0.1', port: 0 })
announce((app.server.address() as AddressInfo).port)
