import type { OAuth2Client } from '@quittance/contracts/clients'
import type { View } from '@quittance/sql/view'

const shared = {
  organization: null,
  unscopedReason: 'a client belongs to no organization; handlers read those the caller manages',
  from: `clients c`,
  key: 'c.id',
} satisfies Partial<View<unknown>>

const columns = `c.created_at, c.modified_at, c.client_id, floor(extract(epoch from c.created_at))::bigint as client_id_issued_at,
  0 as client_secret_expires_at, c.redirect_uris, c.token_endpoint_auth_method, c.grant_types, array['code'] as response_types,
  array_to_string(c.scopes, ' ') as scope, c.name as client_name, c.client_uri, c.logo_uri, c.tos_uri, c.policy_uri,
  c.post_logout_redirect_uris, c.id_token_signed_response_alg, c.dpop_bound_access_tokens`

/** Without the secret, which is stored as a hash only. */
export const clientView: View<OAuth2Client> = { ...shared, name: 'client', columns }

/** For lists: shows whether there is a secret, masked. */
export const clientListView: View<OAuth2Client & { client_secret: string }> = {
  ...shared,
  name: 'client-listed',
  columns: `${columns}, case when c.secret_hash is null then '' else '************' end as client_secret`,
}
