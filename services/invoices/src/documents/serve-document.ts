import {
  ApiError,
  InternalServerError,
  MethodNotAllowed,
  NotPermitted,
  ResourceNotFound,
  ServiceUnavailable,
} from '@quittance/contracts/errors'
import type { InternalRoutes } from '@quittance/runtime/health'
import { isUnavailable } from '@quittance/runtime/respond'
import type { Surroundings } from '@quittance/runtime/service'
import { rowsWith } from '@quittance/runtime/transaction'
import { config } from '../config.ts'
import { checkLink, type PresentedLink } from './document-link.ts'
import { readDocumentFacts } from './document-store.ts'
import { sendDocument, type Exchange } from './send-document.ts'

/** 410: the link was right; ask for a new one. */
class DocumentLinkExpired extends ApiError {
  readonly status = 410
}

/** `GET /documents/{invoice_id}?expires&signature`: the signature is the permission, whoever asks. */
export function documentRoutes({ database, log }: Surroundings): InternalRoutes {
  if (!database) throw new Error('Documents need a database')
  const rows = rowsWith(database.execute)
  return (request, response) => {
    const url = URL.parse(request.url ?? '/', 'http://internal')
    const invoiceId = /^\/documents\/([^/]+)$/.exec(url?.pathname ?? '')?.[1]
    if (!url || invoiceId === undefined) return false
    const link = { invoiceId, expires: url.searchParams.get('expires') ?? '', signature: url.searchParams.get('signature') ?? '' }
    const exchange = { request, response, rows, log }
    void serve(exchange, link)
      .catch((error: unknown) => refuse(exchange, error))
      .then(() => log.info({ invoice_id: invoiceId, status: response.statusCode, method: request.method }, 'document.served'))
    return true
  }
}

async function serve(exchange: Exchange, link: PresentedLink): Promise<void> {
  const { request, rows } = exchange
  if (request.method !== 'GET' && request.method !== 'HEAD') throw new MethodNotAllowed('Only GET and HEAD are answered here.')
  const verdict = checkLink(link, { now: new Date(), secret: config().LINK_SECRET })
  if (verdict === 'forged') throw new NotPermitted('The link is not valid. Get a new one from the order’s invoice.')
  if (verdict === 'expired') throw new DocumentLinkExpired('The link has expired. Get a new one from the order’s invoice.')
  const facts = await readDocumentFacts(rows, link.invoiceId)
  if (!facts) throw new ResourceNotFound('There is no such document.')
  await sendDocument(exchange, { ...facts, invoiceId: link.invoiceId })
}

function refuse({ request, response, log }: Exchange, error: unknown): void {
  const told = toApiError(error)
  if (told !== error && !(told instanceof ServiceUnavailable)) log.error({ err: error }, 'document.failed')
  if (response.headersSent) return void response.destroy()
  for (const name of ['etag', 'content-disposition', 'accept-ranges']) response.removeHeader(name)
  response.setHeader('cache-control', 'no-store')
  if (told instanceof MethodNotAllowed) response.setHeader('allow', 'GET, HEAD')
  const body = JSON.stringify(told.toBody())
  response.writeHead(told.status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
  response.end(request.method === 'HEAD' ? undefined : body)
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (isUnavailable(error)) return new ServiceUnavailable('The service cannot reach its database right now.')
  return new InternalServerError('Something went wrong on our side.')
}
