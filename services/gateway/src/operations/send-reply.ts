import { Unauthorized } from '@quittance/contracts/errors'
import type { PublicOperation } from '@quittance/contracts/operation'
import type { RawReply } from '@quittance/runtime/rpc-client'
import type { FastifyReply, FastifyRequest, FastifyInstance } from 'fastify'
import type { Challenge } from '../access/challenge.ts'
import { toProblemDetails, acceptsProblemDetails } from '../http/problem-details.ts'
import { hash } from 'node:crypto'
import { changes, deprecatedSinceKey } from '@quittance/contracts/changes'
import { z } from 'zod'
import { addPublicRoute } from '../http/public-route.ts'

/** Sends the owner's reply; the bytes of a success stay unchanged. */
export type ReplySender = (rpcReply: RawReply, request: FastifyRequest, reply: FastifyReply) => FastifyReply

interface SenderOptions {
  challenge: Challenge
  /** Public address of the API. */
  baseUrl: string
}

export function createReplySender(operation: PublicOperation, { challenge, baseUrl }: SenderOptions): ReplySender {
  const { http } = operation
  const isRead = http.method === 'GET'
  // Responses to writes can contain secrets that are shown once; responses to reads contain only the caller's data.
  const cacheControl = isRead ? 'private, no-cache' : 'no-store'
  const fields = { 'content-type': 'application/json', 'cache-control': cacheControl, ...deprecationHeaders(operation, baseUrl) }
  return (rpcReply, request, reply) => {
    if (rpcReply.status !== null) return sendError(rpcReply, request, reply)
    reply.code(http.status)
    if (http.status === 204) return reply.header('cache-control', cacheControl).send()
    reply.headers(fields)
    if (!isRead) return reply.send(rpcReply.body)
    const tag = entityTag(rpcReply.body)
    reply.header('etag', tag)
    const ifNoneMatch = request.headers['if-none-match']
    if (ifNoneMatch !== undefined && matchesEntityTag(ifNoneMatch, tag)) return reply.code(304).send()
    return reply.send(rpcReply.body)
  }

  function sendError({ status, retryAfter, body }: RawReply, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    if (retryAfter) reply.header('retry-after', retryAfter)
    // An owner that requires a credential reports it in the body; the gateway adds the accepted schemes.
    if (status === 401) reply.header('www-authenticate', challenge(new Unauthorized(''), request.headers))
    reply.code(status ?? 500).header('cache-control', 'no-store')
    if (!acceptsProblemDetails(request.headers.accept)) return reply.header('content-type', 'application/json').send(body)
    const problem = toProblemDetails(status ?? 500, JSON.parse(Buffer.from(body).toString()))
    return reply.header('content-type', 'application/problem+json').send(JSON.stringify(problem))
  }
}

/** Returns a weak entity tag (RFC 9110 §8.8.3), the same for every encoding of the content. */
export function entityTag(body: Uint8Array): string {
  return `W/"${hash('sha1', body, 'base64url')}"`
}

/** Whether the client already has this version (RFC 9110 §13.1.2). */
export function matchesEntityTag(ifNoneMatch: string, tag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true
  const opaque = tag.slice(2)
  return ifNoneMatch.split(',').some((each) => each.trim().replace(/^W\//, '') === opaque)
}

/** Path of the dated change history. */
const changesPath = '/v1/changes'

/**
 * Returns the headers of responses with a deprecated field: the date of deprecation (RFC 9745) and a link to the change. No field has a
 * removal date, so there is no `Sunset` (RFC 8594).
 */
export function deprecationHeaders({ reply }: PublicOperation, baseUrl: string): Record<string, string> {
  const dates = [...JSON.stringify(z.toJSONSchema(reply, { io: 'output', unrepresentable: 'any' })).matchAll(sinceDates)]
  const [earliest] = dates.map(([, date]) => date as string).toSorted()
  if (!earliest) return {}
  return {
    deprecation: `@${Date.parse(earliest) / 1000}`,
    link: `<${baseUrl}${changesPath}>; rel="deprecation"; type="application/json"`,
  }
}

const sinceDates = new RegExp(`"${deprecatedSinceKey}":"([\\d-]+)"`, 'g')

/** Adds the route of the dated change history. */
export function addChangelogRoute(app: FastifyInstance): void {
  const history = JSON.stringify({ items: changes })
  addPublicRoute(app, changesPath, (_request, reply) =>
    reply.header('cache-control', 'public, max-age=3600').type('application/json').send(history),
  )
}
