import type { IncomingMessage } from 'node:http'

type Fields = Record<string, string | string[] | undefined>

/** Hop-by-hop headers (RFC 9110 §7.6.1), besides those that `Connection` lists. */
const hopByHopHeaders = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Headers that the gateway sets itself, because the client's values are not trusted, and those of the connection to the service. */
const overriddenHeaders = /^(forwarded|x-forwarded-.*|x-real-ip|x-request-id|x-pages-key|traceparent|host|content-length|expect)$/

/** Origin of a request as determined by the gateway. */
export interface PublicOrigin {
  /** Public address of the request, from the configuration. */
  publicUrl: string
  /** Address of the client. */
  ip: string
  requestId: string
  /** Trace context of the request. */
  traceparent: string
}

/** Returns the request headers for the service; repeated headers stay repeated, so that it can reject them. */
export function toUpstreamHeaders({ headersDistinct }: IncomingMessage, { publicUrl, ip, requestId, traceparent }: PublicOrigin): Fields {
  const { host, protocol } = new URL(publicUrl)
  const sent = removeHopByHop(headersDistinct)
  return {
    ...Object.fromEntries(Object.entries(sent).filter(([name]) => !overriddenHeaders.test(name))),
    'x-forwarded-host': host,
    'x-forwarded-proto': protocol.slice(0, -1),
    'x-forwarded-for': ip,
    'x-request-id': requestId,
    traceparent,
  }
}

/** Returns the response headers for the client, without the request id, which the gateway has already set. */
export function toClientHeaders(fields: Fields): Fields {
  const { 'x-request-id': _, ...rest } = removeHopByHop(fields)
  return rest
}

function removeHopByHop(fields: Fields): Fields {
  const listed = new Set(
    [fields['connection'] ?? []]
      .flat()
      .join(',')
      .split(',')
      .map((name) => name.trim().toLowerCase()),
  )
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !hopByHopHeaders.has(name) && !listed.has(name)))
}
