import { pipeline, type Readable } from 'node:stream'
import { promisify } from 'node:util'
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'

type Encoding = 'br' | 'gzip'

/** Smaller responses fit one packet uncompressed. */
const minCompressedBytes = 1_400
/** Takes about the time of gzip and saves a fifth more. */
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }
const compressible = /^(application\/(problem\+)?json|(text|application)\/javascript|text\/(html|css|csv|plain))\b/

/** Returns the better of the encodings that the client accepts; null for none (RFC 9110 §12.5.3). */
export function negotiateEncoding(accepted: string | undefined): Encoding | null {
  if (!accepted) return null
  const qualities = new Map(
    accepted.split(',').map((each) => {
      const [name = '', ...parameters] = each.split(';').map((part) => part.trim().toLowerCase())
      const quality = parameters.find((parameter) => parameter.startsWith('q='))
      return [name, quality ? Number(quality.slice(2)) : 1]
    }),
  )
  const accepts = (name: Encoding) => (qualities.get(name) ?? qualities.get('*') ?? 0) > 0
  return accepts('br') ? 'br' : accepts('gzip') ? 'gzip' : null
}

/** Compresses responses of the gateway that are complete in memory. Those of other services pass unchanged. */
export function addCompression(app: FastifyInstance): void {
  const encodeConstant = createConstantEncoding()
  app.addHook('onSend', async (request, reply, payload) => {
    const isWhole = typeof payload === 'string' || payload instanceof Uint8Array
    if (request.routeOptions.config.isProxied) return payload
    if (!isWhole || payload.length < minCompressedBytes || reply.hasHeader('content-encoding')) return payload
    if (!compressible.test(String(reply.getHeader('content-type')))) return payload
    addVary(reply, 'Accept-Encoding')
    const encoding = negotiateEncoding(request.headers['accept-encoding'])
    const { config } = request.routeOptions
    if (encoding) reply.header('content-encoding', encoding).removeHeader('content-length')
    return config.isConstant ? encodeConstant(config, { payload, encoding }) : encode({ payload, encoding })
  })
}

type Body = string | Uint8Array

interface Unencoded {
  payload: Body
  encoding: Encoding | null
}

const compressBrotli = promisify(brotliCompress) as (payload: Body, options: typeof brotli) => Promise<Buffer>
const compressGzip = promisify(gzip) as (payload: Body) => Promise<Buffer>

async function encode({ payload, encoding }: Unencoded): Promise<Body> {
  if (!encoding) return payload
  return encoding === 'br' ? compressBrotli(payload, brotli) : compressGzip(payload)
}

/**
 * Encodes the body of each constant route once in each encoding: the largest takes a tenth of a second of CPU. Every response sends the same
 * bytes, also without compression: of a string, each unread response would hold a copy. Another body of the same route, as that of an error,
 * takes the place of the one before.
 */
export function createConstantEncoding() {
  const kept = new WeakMap<object, Map<Encoding | null, { payload: Body; encoded: Promise<Body> }>>()
  return (route: object, { payload, encoding }: Unencoded): Promise<Body> => {
    const ofRoute = kept.get(route) ?? new Map()
    kept.set(route, ofRoute)
    const known = ofRoute.get(encoding)
    if (known?.payload === payload) return known.encoded
    const encoded = encode({ payload: Buffer.from(payload), encoding })
    ofRoute.set(encoding, { payload, encoded })
    return encoded
  }
}

/** Compresses a stream of the gateway. An error of its source aborts the response. */
export function compressStream(source: Readable, encoding: Encoding): Readable {
  const target = encoding === 'br' ? createBrotliCompress(brotli) : createGzip()
  pipeline(source, target, () => {})
  return target
}

interface HeaderTarget {
  getHeader(name: string): unknown
  header(name: string, value: string): unknown
}

/** Adds a request header on which the response depends to `Vary`. */
export function addVary(reply: HeaderTarget, name: string): void {
  const current = reply.getHeader('vary')
  reply.header('vary', typeof current === 'string' ? `${current}, ${name}` : name)
}
