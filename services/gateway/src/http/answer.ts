import { Unauthorized } from '@quittance/contracts/errors'
import type { PublicOperation } from '@quittance/contracts/operation'
import type { RawAnswer } from '@quittance/runtime/request'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Challenge } from '../access/challenge.ts'
import { entityTag, matches } from './conditional.ts'
import { deprecationOf } from './deprecation.ts'
import { problemOf, wantsProblem } from './problem.ts'

/** Sends what the owner answered; the bytes of a success stay as they are. */
export type Send = (answer: RawAnswer, request: FastifyRequest, reply: FastifyReply) => FastifyReply

interface SenderOptions {
  challenge: Challenge
  /** Public address of the API. */
  baseUrl: string
}

export function senderOf(operation: PublicOperation, { challenge, baseUrl }: SenderOptions): Send {
  const { http } = operation
  const isRead = http.method === 'GET'
  // Answers to changes can hold secrets that are shown once; those to reads are the caller's own.
  const cacheControl = isRead ? 'private, no-cache' : 'no-store'
  const fields = { 'content-type': 'application/json', 'cache-control': cacheControl, ...deprecationOf(operation, baseUrl) }
  return (answer, request, reply) => {
    if (answer.status !== null) return sendRefusal(answer, request, reply)
    reply.code(http.status)
    if (http.status === 204) return reply.header('cache-control', cacheControl).send()
    reply.headers(fields)
    if (!isRead) return reply.send(answer.body)
    const tag = entityTag(answer.body)
    reply.header('etag', tag)
    const known = request.headers['if-none-match']
    if (known !== undefined && matches(known, tag)) return reply.code(304).send()
    return reply.send(answer.body)
  }

  function sendRefusal({ status, retryAfter, body }: RawAnswer, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    if (retryAfter) reply.header('retry-after', retryAfter)
    // An owner that asks for a credential says so in the body; which kinds there are, the door knows.
    if (status === 401) reply.header('www-authenticate', challenge(new Unauthorized(''), request.headers))
    reply.code(status ?? 500).header('cache-control', 'no-store')
    if (!wantsProblem(request.headers.accept)) return reply.header('content-type', 'application/json').send(body)
    const problem = problemOf(status ?? 500, JSON.parse(Buffer.from(body).toString()))
    return reply.header('content-type', 'application/problem+json').send(JSON.stringify(problem))
  }
}
