/** Fetches Client ID Metadata Documents (draft-ietf-oauth-client-id-metadata-document) from the URL that is the client id. */
import { isUtf8 } from 'node:buffer'
import { Resolver } from 'node:dns/promises'
import { registerClient } from '@quittance/contracts/clients'
import { isAllowedAddress } from '@quittance/runtime/address-policy'
import { createCheckedConnector, ConnectionError } from '@quittance/runtime/checked-connection'
import { errors } from 'oidc-provider'
import { Agent, request, type Dispatcher } from 'undici'
import { config } from '../config.ts'
import type { ClientConfiguration } from './client.ts'
import { readClientMetadata } from './client-metadata.ts'

const maxBytes = 5_120
const timeoutMs = 3_000

/** For how long a document is fresh, in seconds: the max-age of its server within `min` and `max`, or `default` without one. */
const freshnessSeconds = { min: 60, max: 86_400, default: 300 }

/**
 * Returns whether a client id is the URL of a document: https with a path, in the canonical form of a URL parser, without user information,
 * query or fragment.
 */
export function isClientDocumentUrl(id: string): boolean {
  if (!/^https:\/\/[^/?#@]+\/[\x21-\x7e]+$/.test(id) || id.length > 500 || /[?#\\]/.test(id)) return false
  return URL.parse(id)?.href === id
}

/** Returns whether clients may be described by documents. */
export function acceptsClientDocuments(): boolean {
  return config().CLIENT_ID_DOCUMENTS === 'on' && config().CLIENT_REGISTRATION !== 'off'
}

export interface ClientDocument {
  configuration: ClientConfiguration
  expiresAt: Date
}

const resolver = new Resolver({ timeout: 1_500, tries: 1 })

async function resolveName(name: string): Promise<string[]> {
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  if (addresses.length === 0) throw new ConnectionError('dns_error')
  return addresses
}

/** No port is denied: the operator who allows a network allows all its ports. */
const noPorts: ReadonlySet<number> = new Set()

const agent = new Agent({
  connect: createCheckedConnector({
    resolve: resolveName,
    isPermitted: (target) => isAllowedAddress(target, { networks: config().CLIENT_ID_ALLOWED_CIDRS, deniedPorts: noPorts }),
    timeoutMs,
  }),
  allowH2: false,
  connections: 2,
})

/**
 * Fetches and checks a document; throws `errors.InvalidClient` for any problem. Connects only to addresses that the address policy permits,
 * follows no redirect, reads no compressed body, and stops after 3 seconds or 5 KB. Must not run inside a database transaction.
 */
export async function fetchClientDocument(url: string): Promise<ClientDocument> {
  try {
    const response = await request(url, {
      dispatcher: agent,
      headers: { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': 'Quittance-Clients/1' },
      signal: AbortSignal.timeout(timeoutMs),
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    const bytes = await readBody(response)
    return { configuration: parseConfiguration(url, bytes), expiresAt: new Date(Date.now() + computeFreshSeconds(response) * 1_000) }
  } catch (cause) {
    throw new errors.InvalidClient('the metadata document of the client cannot be used', { cause })
  }
}

async function readBody({ statusCode, headers, body }: Dispatcher.ResponseData): Promise<Buffer> {
  // A body destroyed before its end emits an error, which has no other listener.
  body.on('error', () => {})
  try {
    if (statusCode !== 200) throw new Error(`The server replied with status ${statusCode}.`)
    if (!/^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(String(headers['content-type']))) throw new Error('It is not JSON.')
    if (!/^(undefined|identity)$/i.test(String(headers['content-encoding']))) throw new Error('It is compressed.')
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of body) {
      size += (chunk as Buffer).length
      if (size > maxBytes) throw new Error(`It is larger than ${maxBytes} bytes.`)
      chunks.push(chunk as Buffer)
    }
    return Buffer.concat(chunks)
  } finally {
    body.destroy()
  }
}

function parseConfiguration(url: string, bytes: Buffer): ClientConfiguration {
  if (!isUtf8(bytes)) throw new Error('It is not UTF-8.')
  const document: unknown = JSON.parse(bytes.toString())
  if (typeof document !== 'object' || document === null) throw new Error('It is not a JSON object.')
  const { client_id, token_endpoint_auth_method: method = 'none', ...rest } = document as Record<string, unknown>
  if (client_id !== url) throw new Error('Its client_id is not its URL.')
  if (method !== 'none') throw new Error('Its token_endpoint_auth_method must be none.')
  if ('client_secret' in rest || 'client_secret_expires_at' in rest) throw new Error('It must not have a secret.')
  const name = rest['client_name'] ?? URL.parse(url)?.hostname
  return readClientMetadata(registerClient.request.parse({ ...rest, client_name: name, token_endpoint_auth_method: 'none' }))
}

function computeFreshSeconds({ headers }: Dispatcher.ResponseData): number {
  const control = String(headers['cache-control'] ?? '')
  const maxAge = /(?:^|[\s,])max-age=(\d{1,9})/i.exec(control)?.[1]
  if (/no-store|no-cache/i.test(control)) return freshnessSeconds.min
  return Math.min(freshnessSeconds.max, Math.max(freshnessSeconds.min, maxAge === undefined ? freshnessSeconds.default : Number(maxAge)))
}
