import { pipeline, type Readable } from 'node:stream'
import { promisify } from 'node:util'
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'

type Encoding = 'br' | 'gzip'

/** Smaller answers fit one packet as they are. */
const leastBytes = 1_400
/** About the time of gzip for a fifth less. */
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }
const compressible = /^(application\/(problem\+)?json|text\/(html|css|csv|plain|javascript))\b/

/** The better of the encodings that the client takes; null for none (RFC 9110 §12.5.3). */
export function encodingFor(accepted: string | undefined): Encoding | null {
  if (!accepted) return null
  const taken = new Map(
    accepted.split(',').map((each) => {
      const [name = '', ...parameters] = each.split(';').map((part) => part.trim().toLowerCase())
      const quality = parameters.find((parameter) => parameter.startsWith('q='))
      return [name, quality ? Number(quality.slice(2)) : 1]
    }),
  )
  const takes = (name: Encoding) => (taken.get(name) ?? taken.get('*') ?? 0) > 0
  return takes('br') ? 'br' : takes('gzip') ? 'gzip' : null
}

/** Compresses what the gateway has whole. Streams go through: what another service sends may be compressed already. */
export function addCompression(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    const isWhole = typeof payload === 'string' || payload instanceof Uint8Array
    if (!isWhole || payload.length < leastBytes || reply.hasHeader('content-encoding')) return payload
    if (!compressible.test(String(reply.getHeader('content-type')))) return payload
    addVary(reply, 'Accept-Encoding')
    const encoding = encodingFor(request.headers['accept-encoding'])
    if (!encoding) return payload
    reply.header('content-encoding', encoding).removeHeader('content-length')
    return encoding === 'br' ? inBrotli(payload, brotli) : inGzip(payload)
  })
}

const inBrotli = promisify(brotliCompress) as (payload: string | Uint8Array, options: typeof brotli) => Promise<Buffer>
const inGzip = promisify(gzip) as (payload: string | Uint8Array) => Promise<Buffer>

/** A stream of our own, compressed on its way. A fault of its source breaks the answer off. */
export function compressed(source: Readable, encoding: Encoding): Readable {
  const target = encoding === 'br' ? createBrotliCompress(brotli) : createGzip()
  pipeline(source, target, () => {})
  return target
}

interface Answer {
  getHeader(name: string): unknown
  header(name: string, value: string): unknown
}

/** Names a further request header that the answer depends on. */
export function addVary(reply: Answer, name: string): void {
  const known = reply.getHeader('vary')
  reply.header('vary', typeof known === 'string' ? `${known}, ${name}` : name)
}
