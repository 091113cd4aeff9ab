import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ApiError, InternalServerError } from '@quittance/contracts/errors'
import type { SystemSql } from '@quittance/sql/sql-runner'
import { counter } from '@quittance/runtime/metrics'
import type { Logger } from '@quittance/runtime/logger'
import { readDocumentContent, type StoredDocument } from './document-store.ts'

/** 416: the range begins after the end of the document. */
class RangeNotSatisfiable extends ApiError {
  readonly status = 416
}

export interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  systemSql: SystemSql
  log: Logger
}

type Document = StoredDocument & { invoiceId: string }

/** Sends the document with validators, one range and HEAD as in RFC 9110. */
export async function sendDocument({ request, response, systemSql, log }: Exchange, document: Document): Promise<void> {
  const etag = `"${document.sha256}"`
  response.setHeader('etag', etag)
  response.setHeader('cache-control', 'private, max-age=600')
  response.setHeader('x-content-type-options', 'nosniff')
  if (matchesEtag(request.headers['if-none-match'], etag)) return void response.writeHead(304).end()
  response.setHeader('accept-ranges', 'bytes')
  response.setHeader('content-type', 'application/pdf')
  response.setHeader('content-disposition', contentDisposition(nameFile(document)))
  if (request.method === 'HEAD') return void response.writeHead(200, { 'content-length': document.size }).end()

  const content = await readDocumentContent(systemSql, document.invoiceId)
  assertUndamaged(content, document, log)
  const range = shouldServeRange(request, etag) ? byteRange(request.headers.range, document.size) : null
  if (range === 'unsatisfiable') {
    response.setHeader('content-range', `bytes */${document.size}`)
    throw new RangeNotSatisfiable(`The document has ${document.size} bytes.`)
  }
  const body = range ? content.subarray(range.first, range.last + 1) : content
  if (range) response.setHeader('content-range', `bytes ${range.first}-${range.last}/${document.size}`)
  response.writeHead(range ? 206 : 200, { 'content-length': body.length }).end(body)
}

function nameFile({ kind, number }: StoredDocument): string {
  return `${kind === 'invoice' ? 'Invoice' : 'Credit-note'}-${number.replaceAll('/', '-')}.pdf`
}

const damagedDocuments = counter(
  'documents_damaged_total',
  'Requested documents whose bytes differ from what was stored. Restore them from a backup.',
)

/**
 * Rejects a corrupted document. It must be restored from a backup and is never rendered again: a document is served as it was issued or not
 * at all.
 */
function assertUndamaged(content: Buffer, { sha256, invoiceId }: Document, log: Logger): void {
  const actual = createHash('sha256').update(content).digest('hex')
  if (actual === sha256) return
  damagedDocuments.inc()
  log.error({ invoice_id: invoiceId, expected_sha256: sha256, actual_sha256: actual }, 'document.corrupted')
  throw new InternalServerError('The stored document is corrupted.')
}

function shouldServeRange({ headers }: IncomingMessage, etag: string): boolean {
  return headers['if-range'] === undefined || headers['if-range'] === etag
}

function matchesEtag(header: string | undefined, etag: string): boolean {
  return header?.split(',').some((candidate) => ['*', etag].includes(candidate.trim().replace(/^W\//, ''))) ?? false
}

export interface ByteRange {
  first: number
  last: number
}

/**
 * Parses the `Range` header (RFC 9110 §14). Returns null if the whole content must be sent: RFC 9110 permits that for a missing header, for
 * several ranges and for a malformed one.
 */
export function byteRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | null {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? []
  if (first === '' && last === '') return null
  if (first === '') return Number(last) === 0 ? 'unsatisfiable' : { first: Math.max(0, size - Number(last)), last: size - 1 }
  if (last !== '' && Number(last) < Number(first)) return null
  if (Number(first) >= size) return 'unsatisfiable'
  return { first: Number(first), last: last === '' ? size - 1 : Math.min(Number(last), size - 1) }
}

/**
 * Returns a `Content-Disposition` header (RFC 6266) that shows the file in the browser and sets its name. The plain form is for clients
 * that do not read the encoded one.
 */
export function contentDisposition(fileName: string): string {
  const plain = fileName.replaceAll(/[^\w.-]/g, '_')
  const encoded = encodeURIComponent(fileName).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `inline; filename="${plain}"; filename*=UTF-8''${encoded}`
}
