import { migration } from '@quittance/runtime/schema'

/** JWT access tokens that were revoked before they expired, by their `jti`; read at every verification of one. */
export const revokeJwtAccessTokens = migration('20261123001600-revoke-jwt-access-tokens', [
  `create table revoked_jwt_access_tokens (
    jti text primary key check (length(jti) between 1 and 100),
    grant_id text not null references grants (id) on delete cascade,
    expires_at timestamptz not null
  )`,
  `create index revoked_jwt_access_tokens_by_grant on revoked_jwt_access_tokens (grant_id)`,
  `create index revoked_jwt_access_tokens_by_expiry on revoked_jwt_access_tokens (expires_at)`,
])
