import { Readable } from 'node:stream'
import { ServiceUnavailable } from '@quittance/contracts/errors'
import type { HttpBinding } from '@quittance/contracts/operation'
import type { DocumentPart } from '@quittance/contracts/pagination'
import { forward, type RawReply } from '@quittance/runtime/rpc-client'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { addVary, compressStream, negotiateEncoding } from '../http/compression.ts'

interface Document {
  /** Loaded before the response starts, so that an error can still set the status. */
  first: DocumentPart
  loadPart: (after: string | null) => Promise<DocumentPart>
  /** As one JSON string instead of text, for clients that read only JSON. */
  asJson: boolean
}

/**
 * Streams a document of many parts, loading them as fast as the client reads. If a later part fails, the connection is aborted, so the
 * client sees that the document is incomplete.
 */
export function streamDocument({ first, loadPart, asJson }: Document): Readable {
  async function* texts() {
    const encode = (text: string) => (asJson ? JSON.stringify(text).slice(1, -1) : text)
    if (asJson) yield '"'
    let part = first
    yield encode(part.text)
    while (part.next !== null) {
      part = await loadPart(part.next)
      yield encode(part.text)
    }
    if (asJson) yield '"'
  }
  return Readable.from(texts(), { objectMode: false })
}

/** Whether the client accepts JSON but not CSV. */
export function prefersJson(accept: string | undefined): boolean {
  return accept !== undefined && /\bapplication\/json\b/i.test(accept) && !/\btext\/(csv|\*)|\*\/\*/i.test(accept)
}

type ForwardArguments = Parameters<typeof forward>

interface DocumentReply {
  document: NonNullable<HttpBinding['document']>
  /** Reply with the first part. */
  rpcReply: RawReply
  /** The request of the first part; later parts are requested with `after`. */
  rpcRequest: ForwardArguments
}

/** Streams a document of many parts while loading them. HEAD sends the same headers and loads no part after the first. */
export function sendDocument(
  { document, rpcReply, rpcRequest }: DocumentReply,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const [connection, { body, ...rest }] = rpcRequest
  const originalRequest = JSON.parse(Buffer.from(body).toString()) as object
  const loadPart = async (after: string | null) => {
    const next = await forward(connection, { ...rest, body: Buffer.from(JSON.stringify({ ...originalRequest, after })) })
    if (next.status !== null) throw new ServiceUnavailable('A part of the document could not be loaded.')
    return readPart(next)
  }
  const asJson = prefersJson(request.headers.accept)
  const encoding = negotiateEncoding(request.headers['accept-encoding'])
  addVary(reply, 'Accept, Accept-Encoding')
  reply.headers({
    'content-type': asJson ? 'application/json' : document.contentType,
    'content-disposition': `attachment; filename="${document.fileName}"`,
    'cache-control': 'private, no-cache',
  })
  if (encoding) reply.header('content-encoding', encoding)
  // Fastify reads the stream of a HEAD request to its end; this one ends at once, and has no length, which a document does not announce.
  if (request.method === 'HEAD') return reply.send(Readable.from([]))
  const source = streamDocument({ first: readPart(rpcReply), loadPart, asJson })
  return reply.send(encoding ? compressStream(source, encoding) : source)
}

function readPart({ body }: RawReply): DocumentPart {
  return JSON.parse(Buffer.from(body).toString())
}
