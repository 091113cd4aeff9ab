import { BadRequest } from '@quittance/contracts/errors'
import type { PublicOperation } from '@quittance/contracts/operation'
import type { FastifyRequest } from 'fastify'
import { unreadableBody } from './errors.ts'
import { demandText, queryDecoder } from './query.ts'

/** One flat object: query or body, with the path variables on top, so that a body cannot name another object. */
export function requestEncoder(operation: PublicOperation): (request: FastifyRequest) => Uint8Array {
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

/** A key that cannot be kept must not be forgotten: the client counts on it. */
export function idempotencyKeyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key
  throw new BadRequest('Idempotency-Key must be 1 to 255 visible ASCII characters.')
}
