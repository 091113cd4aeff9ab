import type { Rows } from '@quittance/runtime/handler'
import { LRUCache } from 'lru-cache'
import type { Adapter, AdapterPayload } from 'oidc-provider'

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

/** A wake-up that tells of a change can be lost; then a change is known after this. */
const rememberedMs = 30_000

export interface ClientStore {
  adapter: Partial<Adapter>
  /** Forgets what was remembered; called when a client was changed at any replica. */
  forget(): void
}

/** Clients as the library wants them, remembered for a while because every token request asks for one. */
export function clientStore(rows: Rows, knownScopes: ReadonlySet<string>): ClientStore {
  const remembered = new LRUCache<string, AdapterPayload>({ max: 10_000, ttl: rememberedMs })
  return {
    forget: () => remembered.clear(),
    adapter: {
      async find(clientId) {
        // A foreign id may be any text, also one PostgreSQL cannot compare with.
        if (!/^[\x20-\x7e]{1,100}$/.test(clientId)) return undefined
        const known = remembered.get(clientId)
        if (known) return known
        const [row] = await rows<ClientRow>('client.find', find, { client_id: clientId })
        if (!row) return undefined
        const metadata = metadataOf(row, knownScopes)
        remembered.set(clientId, metadata)
        return metadata
      },
    },
  }
}

/** In the names of RFC 7591. `client_secret` is its hash, see `comparesSecretsByHash`. */
function metadataOf(row: ClientRow, knownScopes: ReadonlySet<string>): AdapterPayload {
  return {
    client_id: row.client_id,
    client_name: row.name,
    redirect_uris: row.redirect_uris,
    post_logout_redirect_uris: row.post_logout_redirect_uris,
    token_endpoint_auth_method: row.token_endpoint_auth_method,
    grant_types: row.grant_types,
    response_types: ['code'],
    // A scope the server no longer has would make every request of the client fail.
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
