import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ApiError, InternalServerError } from '@quittance/contracts/errors'
import type { Rows } from '@quittance/runtime/handler'
import { countOf } from '@quittance/runtime/health'
import type { Logger } from '@quittance/runtime/log'
import { byteRange } from './byte-range.ts'
import { contentDisposition } from './content-disposition.ts'
import { readDocumentContent, type DocumentFacts } from './document-store.ts'

/** 416: the document ends before the range begins. */
class RangeNotSatisfiable extends ApiError {
  readonly status = 416
}

export interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  rows: Rows
  log: Logger
}

type Document = DocumentFacts & { invoiceId: string }

/** The bytes, or as much as the client does not have: validators, one range and HEAD as RFC 9110 has them. */
export async function sendDocument({ request, response, rows, log }: Exchange, document: Document): Promise<void> {
  const etag = `"${document.sha256}"`
  response.setHeader('etag', etag)
  response.setHeader('cache-control', 'private, max-age=600')
  response.setHeader('x-content-type-options', 'nosniff')
  if (matches(request.headers['if-none-match'], etag)) return void response.writeHead(304).end()
  response.setHeader('accept-ranges', 'bytes')
  response.setHeader('content-type', 'application/pdf')
  response.setHeader('content-disposition', contentDisposition(`Invoice-${document.number.replaceAll('/', '-')}.pdf`))
  if (request.method === 'HEAD') return void response.writeHead(200, { 'content-length': document.size }).end()

  const content = await readDocumentContent(rows, document.invoiceId)
  demandUnharmed(content, document, log)
  const range = wantsRange(request, etag) ? byteRange(request.headers.range, document.size) : null
  if (range === 'unsatisfiable') {
    response.setHeader('content-range', `bytes */${document.size}`)
    throw new RangeNotSatisfiable(`The document has ${document.size} bytes.`)
  }
  const body = range ? content.subarray(range.first, range.last + 1) : content
  if (range) response.setHeader('content-range', `bytes ${range.first}-${range.last}/${document.size}`)
  response.writeHead(range ? 206 : 200, { 'content-length': body.length }).end(body)
}

const damaged = countOf('documents_damaged_total', 'Documents that were asked for and are not what was stored. Restore them.')

/** What was issued is given out as it was issued, or not at all: a damaged document is restored from a backup, never rendered again. */
function demandUnharmed(content: Buffer, { sha256, invoiceId }: Document, log: Logger): void {
  const actual = createHash('sha256').update(content).digest('hex')
  if (actual === sha256) return
  damaged.inc()
  log.error({ invoice_id: invoiceId, expected_sha256: sha256, actual_sha256: actual }, 'document.corrupted')
  throw new InternalServerError('The stored document is damaged.')
}

function wantsRange({ headers }: IncomingMessage, etag: string): boolean {
  return headers['if-range'] === undefined || headers['if-range'] === etag
}

function matches(header: string | undefined, etag: string): boolean {
  return header?.split(',').some((candidate) => ['*', etag].includes(candidate.trim().replace(/^W\//, ''))) ?? false
}
