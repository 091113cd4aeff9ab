import { migration } from '@quittance/runtime/schema'

/** Tables of the authorization server. Codes and tokens are stored as SHA-256 only; a reader of this database can use none of them. */
export const createAuthorizationServer = migration('20261120200000-create-authorization-server', [
  `alter table accounts add column email_verified_at timestamptz`,

  `alter table clients
    add column account_id uuid references accounts (id),
    add column token_endpoint_auth_method text not null default 'client_secret_post'
      check (token_endpoint_auth_method in ('client_secret_post', 'client_secret_basic', 'none')),
    add column grant_types text[] not null default '{authorization_code,refresh_token}' check (cardinality(grant_types) > 0),
    add column client_uri text,
    add column logo_uri text,
    add column tos_uri text,
    add column policy_uri text,
    add column post_logout_redirect_uris text[] not null default '{}',
    add column id_token_signed_response_alg text not null default 'RS256' check (id_token_signed_response_alg in ('RS256', 'ES256')),
    add column dpop_bound_access_tokens boolean not null default false,
    add column registration_token_hash text check (registration_token_hash ~ '^[0-9a-f]{64}$'),
    add column is_trusted boolean not null default false,
    add column deleted_at timestamptz`,
  // Existing clients belong to the operator.
  `update clients set is_trusted = true, token_endpoint_auth_method = case when is_public then 'none' else 'client_secret_post' end`,
  `alter table clients
    drop column is_public,
    alter column token_endpoint_auth_method drop default,
    alter column grant_types drop default,
    add constraint clients_secret_by_method check ((token_endpoint_auth_method = 'none') = (secret_hash is null)),
    add constraint clients_registration_token_unique unique (registration_token_hash)`,
  `create index clients_by_account on clients (account_id, created_at) where account_id is not null`,
  `create index clients_registered_by_nobody on clients (created_at) where account_id is null and not is_trusted`,

  // One row per authorization: what a user allowed a client, for the user's own data or for one organization. Everything issued references
  // it.
  `create table grants (
    id text primary key,
    account_id uuid not null references accounts (id) on delete cascade,
    client_id text not null references clients (client_id),
    sub_type text not null check (sub_type in ('user', 'organization')),
    organization_id uuid references organizations (id) on delete cascade,
    payload jsonb not null,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    constraint grants_organization_by_sub_type check ((sub_type = 'organization') = (organization_id is not null))
  )`,
  `create index grants_by_account on grants (account_id, client_id)`,
  `create index grants_by_client on grants (client_id)`,
  `create index grants_by_organization on grants (organization_id) where organization_id is not null`,
  `create index grants_by_expiry on grants (expires_at)`,

  `create table authorization_codes (
    token_hash text primary key check (token_hash ~ '^[0-9a-f]{64}$'),
    grant_id text not null references grants (id) on delete cascade,
    payload jsonb not null,
    consumed_at timestamptz,
    expires_at timestamptz not null
  )`,
  `create index authorization_codes_by_grant on authorization_codes (grant_id)`,
  `create index authorization_codes_by_expiry on authorization_codes (expires_at)`,

  // Consumed rows stay until they expire, because they reveal a stolen token. A row is updated once, in place.
  `create table refresh_tokens (
    token_hash text primary key check (token_hash ~ '^[0-9a-f]{64}$'),
    grant_id text not null references grants (id) on delete cascade,
    payload jsonb not null,
    consumed_at timestamptz,
    expires_at timestamptz not null
  ) with (fillfactor = 80)`,
  `create index refresh_tokens_by_grant on refresh_tokens (grant_id)`,
  `create index refresh_tokens_by_expiry on refresh_tokens (expires_at)`,

  `create table oauth_access_tokens (
    token_hash text primary key check (token_hash ~ '^[0-9a-f]{64}$'),
    grant_id text not null references grants (id) on delete cascade,
    payload jsonb not null,
    expires_at timestamptz not null
  )`,
  `create index oauth_access_tokens_by_grant on oauth_access_tokens (grant_id)`,
  `create index oauth_access_tokens_by_expiry on oauth_access_tokens (expires_at)`,

  `create table consents (
    id uuid primary key default gen_random_uuid(),
    account_id uuid not null references accounts (id) on delete cascade,
    client_id text not null references clients (client_id),
    organization_id uuid references organizations (id) on delete cascade,
    scopes text[] not null,
    created_at timestamptz not null default now(),
    modified_at timestamptz,
    constraint consents_unique unique nulls not distinct (account_id, client_id, organization_id)
  )`,
  `create index consents_by_client on consents (client_id)`,

  `create table sessions (
    id_hash text primary key check (id_hash ~ '^[0-9a-f]{64}$'),
    uid text not null,
    account_id uuid references accounts (id) on delete cascade,
    payload jsonb not null,
    user_agent text,
    ip text,
    created_at timestamptz not null default now(),
    seen_at timestamptz not null default now(),
    expires_at timestamptz not null,
    constraint sessions_uid_unique unique (uid)
  ) with (fillfactor = 80)`,
  `create index sessions_by_account on sessions (account_id) where account_id is not null`,
  `create index sessions_by_expiry on sessions (expires_at)`,

  // Interactions, pushed requests and seen proofs: a few minutes old at most.
  `create table short_lived_records (
    model text not null,
    id_hash text not null check (id_hash ~ '^[0-9a-f]{64}$'),
    payload jsonb not null,
    consumed_at timestamptz,
    expires_at timestamptz not null,
    primary key (model, id_hash)
  )`,
  `create index short_lived_records_by_expiry on short_lived_records (expires_at)`,

  `create table signing_keys (
    kid text primary key,
    alg text not null check (alg in ('RS256', 'ES256')),
    state text not null check (state in ('next', 'current', 'retired')),
    public_key jsonb not null,
    private_key_sealed text not null,
    created_at timestamptz not null default now(),
    retired_at timestamptz,
    constraint signing_keys_retired check ((state = 'retired') = (retired_at is not null))
  )`,
  `create unique index signing_keys_one_current on signing_keys (alg) where state = 'current'`,
  `create unique index signing_keys_one_next on signing_keys (alg) where state = 'next'`,

  // Counts of failed sign-ins; the columns are those of rate-limiter-flexible.
  `create table sign_in_attempts (
    key varchar(255) primary key,
    points integer not null default 0,
    expire bigint
  )`,
  `create index sign_in_attempts_by_expiry on sign_in_attempts (expire) where expire is not null`,
])
