import type { SystemSql } from '@quittance/sql/sql-runner'
import { LRUCache } from 'lru-cache'
import { Provider, type Adapter, type AdapterPayload } from 'oidc-provider'
import { acceptsClientDocuments, isClientDocumentUrl } from '../clients/client-document.ts'
import type { ClientDocuments } from '../clients/client-documents.ts'
import { isPrivateUseUri } from '../clients/client-metadata.ts'

interface ClientRow {
  client_id: string
  secret_hash: string | null
  name: string
  redirect_uris: string[]
  post_logout_redirect_uris: string[]
  scopes: string[]
  token_endpoint_auth_method: 'client_secret_post' | 'client_secret_basic' | 'none'
  grant_types: string[]
  client_uri: string | null
  tos_uri: string | null
  policy_uri: string | null
  id_token_signed_response_alg: 'RS256' | 'ES256'
  dpop_bound_access_tokens: boolean
  is_trusted: boolean
}

const find = `
  select client_id, secret_hash, name, redirect_uris, post_logout_redirect_uris, scopes, token_endpoint_auth_method, grant_types,
    client_uri, tos_uri, policy_uri, id_token_signed_response_alg, dpop_bound_access_tokens, is_trusted
  from clients where client_id = :client_id and deleted_at is null`

/** Limits the delay of a change whose wake-up was lost. */
const cacheTtlMs = 30_000

export interface ClientStore {
  adapter: Partial<Adapter>
  /** Clears the cache; called when any replica has changed a client. */
  clear(): void
}

/** Loads clients for the library, cached because every token request needs one. */
export function clientStore(systemSql: SystemSql, knownScopes: ReadonlySet<string>, documents: ClientDocuments): ClientStore {
  const cache = new LRUCache<string, AdapterPayload>({ max: 10_000, ttl: cacheTtlMs })
  let version = 0
  return {
    clear() {
      version += 1
      cache.clear()
    },
    adapter: {
      async find(clientId) {
        // A client id from a request may be any text, including text that PostgreSQL cannot compare with.
        const isDocument = isClientDocumentUrl(clientId)
        if (!isDocument && !/^[\x20-\x7e]{1,100}$/.test(clientId)) return undefined
        if (isDocument && !acceptsClientDocuments()) return undefined
        if (isDocument && beginsAuthorization() && (await documents.refresh(clientId, Provider.ctx?.ip ?? ''))) cache.delete(clientId)
        const known = cache.get(clientId)
        if (known) return known
        const versionBefore = version
        const [row] = await systemSql<ClientRow>('client.find', find, { client_id: clientId })
        if (!row) return undefined
        const metadata = toMetadata(row, knownScopes)
        // A row that was read while the cache was cleared may be older than the change.
        if (version === versionBefore) cache.set(clientId, metadata)
        return metadata
      },
    },
  }
}

/**
 * Returns whether the request may fetch a client document. Only authorization requests do; elsewhere the stored version suffices, and
 * requests cannot cause fetches.
 */
function beginsAuthorization(): boolean {
  const route = Provider.ctx?.oidc?.route
  return route === 'authorization' || route === 'pushed_authorization_request'
}

/** Converts a row to RFC 7591 metadata. `client_secret` is its hash, see `compareSecretsByHash`. */
function toMetadata(row: ClientRow, knownScopes: ReadonlySet<string>): AdapterPayload {
  const allUris = [...row.redirect_uris, ...row.post_logout_redirect_uris]
  return {
    // The library accepts private-use schemes from native applications only, and checks http more strictly for them.
    application_type: allUris.some(isPrivateUseUri) ? 'native' : 'web',
    client_id: row.client_id,
    client_name: row.name,
    redirect_uris: row.redirect_uris,
    post_logout_redirect_uris: row.post_logout_redirect_uris,
    token_endpoint_auth_method: row.token_endpoint_auth_method,
    grant_types: row.grant_types,
    response_types: ['code'],
    // An unknown scope would make every request of the client fail.
    scope: row.scopes.filter((scope) => knownScopes.has(scope)).join(' '),
    id_token_signed_response_alg: row.id_token_signed_response_alg,
    dpop_bound_access_tokens: row.dpop_bound_access_tokens,
    is_trusted: row.is_trusted,
    ...(row.secret_hash && { client_secret: row.secret_hash }),
    ...(row.client_uri && { client_uri: row.client_uri }),
    ...(row.tos_uri && { tos_uri: row.tos_uri }),
    ...(row.policy_uri && { policy_uri: row.policy_uri }),
  }
}
