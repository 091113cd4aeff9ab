import type { IncomingMessage } from 'node:http'

type Fields = Record<string, string | string[] | undefined>

/** Fields that speak of one connection (RFC 9110 §7.6.1), besides those that `Connection` names. */
const ofOneConnection = new Set([
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

/** Fields whose truth the gateway knows better than the client, and those that the connection to auth writes itself. */
const replaced = /^(forwarded|x-forwarded-.*|x-real-ip|x-request-id|host|content-length|expect)$/

/** Where a request came in, as the gateway vouches for it. */
export interface Entrance {
  /** Public address it is meant for, from the configuration. */
  publicUrl: string
  /** Address of the client. */
  ip: string
  requestId: string
}

/** Header fields of a request as they go to auth; repeated ones stay repeated, so that auth can refuse them. */
export function requestFields({ headersDistinct }: IncomingMessage, { publicUrl, ip, requestId }: Entrance): Fields {
  const { host, protocol } = new URL(publicUrl)
  const sent = endToEnd(headersDistinct)
  return {
    ...Object.fromEntries(Object.entries(sent).filter(([name]) => !replaced.test(name))),
    'x-forwarded-host': host,
    'x-forwarded-proto': protocol.slice(0, -1),
    'x-forwarded-for': ip,
    'x-request-id': requestId,
  }
}

/** Header fields of an answer as they go to the client, which has been told the request's id already. */
export function answerFields(fields: Fields): Fields {
  const { 'x-request-id': _, ...rest } = endToEnd(fields)
  return rest
}

function endToEnd(fields: Fields): Fields {
  const named = new Set(
    [fields['connection'] ?? []]
      .flat()
      .join(',')
      .split(',')
      .map((name) => name.trim().toLowerCase()),
  )
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !ofOneConnection.has(name) && !named.has(name)))
}
