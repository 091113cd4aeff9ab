import {
  ApiError,
  InternalServerError,
  MethodNotAllowed,
  NotPermitted,
  ResourceNotFound,
  ServiceUnavailable,
} from '@quittance/contracts/errors'
import type { InternalRoutes } from '@quittance/runtime/health-server'
import { isTransientDatabaseError } from '@quittance/runtime/unavailable'
import type { ServiceResources } from '@quittance/runtime/service'
import { createSystemSql } from '@quittance/sql/sql-runner'
import { config } from '../config.ts'
import { verifyDocumentLink, type PresentedLink } from './document-link.ts'
import { readDocumentMetadata } from './document-store.ts'
import { sendDocument, type Exchange } from './send-document.ts'

/** 410: the link was valid but has expired. The client must request a new one. */
class DocumentLinkExpired extends ApiError {
  readonly status = 410
}

/** Serves `GET /documents/{invoice_id}?expires&signature`. The signature is the only authorization. */
export function documentRoutes({ database, log }: ServiceResources): InternalRoutes {
  if (!database) throw new Error('Documents require a database')
  const systemSql = createSystemSql(database, 'serves a document to the bearer of its signed link')
  return (request, response) => {
    const url = URL.parse(request.url ?? '/', 'http://internal')
    const invoiceId = /^\/documents\/([^/]+)$/.exec(url?.pathname ?? '')?.[1]
    if (!url || invoiceId === undefined) return false
    const link = { invoiceId, expires: url.searchParams.get('expires') ?? '', signature: url.searchParams.get('signature') ?? '' }
    const exchange = { request, response, systemSql, log }
    void serve(exchange, link)
      .catch((error: unknown) => sendError(exchange, error))
      .then(() => log.info({ invoice_id: invoiceId, status: response.statusCode, method: request.method }, 'document.served'))
    return true
  }
}

async function serve(exchange: Exchange, link: PresentedLink): Promise<void> {
  const { request, systemSql } = exchange
  if (request.method !== 'GET' && request.method !== 'HEAD') throw new MethodNotAllowed('Only GET and HEAD are supported.')
  const result = verifyDocumentLink(link, { now: new Date(), secret: config().LINK_SECRET })
  if (result === 'forged') throw new NotPermitted('The link is not valid. Get a new one from the order’s invoice.')
  if (result === 'expired') throw new DocumentLinkExpired('The link has expired. Get a new one from the order’s invoice.')
  const metadata = await readDocumentMetadata(systemSql, link.invoiceId)
  if (!metadata) throw new ResourceNotFound('The document does not exist.')
  await sendDocument(exchange, { ...metadata, invoiceId: link.invoiceId })
}

function sendError({ request, response, log }: Exchange, error: unknown): void {
  const apiError = toApiError(error)
  if (apiError !== error && !(apiError instanceof ServiceUnavailable)) log.error({ err: error }, 'document.failed')
  if (response.headersSent) return void response.destroy()
  for (const name of ['etag', 'content-disposition', 'accept-ranges']) response.removeHeader(name)
  response.setHeader('cache-control', 'no-store')
  if (apiError instanceof MethodNotAllowed) response.setHeader('allow', 'GET, HEAD')
  const body = JSON.stringify(apiError.toBody())
  response.writeHead(apiError.status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
  response.end(request.method === 'HEAD' ? undefined : body)
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (isTransientDatabaseError(error)) return new ServiceUnavailable('The database is unavailable or busy. Retry later.')
  return new InternalServerError('An internal error occurred. Retry later.')
}
