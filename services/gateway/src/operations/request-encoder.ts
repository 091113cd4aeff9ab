import { BadRequest } from '@quittance/contracts/errors'
import type { PublicOperation } from '@quittance/contracts/operation'
import type { FastifyRequest } from 'fastify'
import { createBodyError } from '../http/errors.ts'
import { requireUtf8, queryDecoder } from '../http/query-decoder.ts'

/** Merges query or body and path variables into one object. Path variables win, so a body cannot address another object. */
export function requestEncoder(operation: PublicOperation): (request: FastifyRequest) => Uint8Array {
  const { raw } = operation.http
  if (raw) return ({ params, headers, body }) => encodeRaw({ params: params as object, headers, body }, raw.headers)
  if (operation.http.method === 'GET' || operation.http.method === 'DELETE') {
    const decode = queryDecoder(operation)
    return ({ raw, query, params }) => {
      requireUtf8(raw.url ?? '')
      return Buffer.from(JSON.stringify({ ...decode(query as Record<string, string>), ...(params as object) }))
    }
  }
  return ({ body, params }) => Buffer.from(JSON.stringify({ ...requireObject(body), ...(params as object) }))
}

interface RawRequest {
  params: object
  headers: FastifyRequest['headers']
  body: unknown
}

/** Passes the bytes on as they are: a signature is over exactly these. */
function encodeRaw({ params, headers, body }: RawRequest, names: readonly string[]): Uint8Array {
  const sent = names.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]] as const] : []))
  const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0)
  return Buffer.from(JSON.stringify({ headers: Object.fromEntries(sent), body: bytes.toString('base64'), ...params }))
}

function requireObject(body: unknown): object {
  if (body === undefined || body === null) return {}
  if (typeof body !== 'object' || Array.isArray(body)) throw createBodyError('The body must be a JSON object.', 'object_type')
  return body
}

/** Rejects a key that cannot be stored: the client relies on it. */
export function readIdempotencyKey({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key
  throw new BadRequest('Idempotency-Key must be 1 to 255 visible ASCII characters.')
}
