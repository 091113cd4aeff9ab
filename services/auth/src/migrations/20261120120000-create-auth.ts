import { migration } from '@quittance/runtime/schema'
import { messagingTables } from '@quittance/runtime/outbox'

export const createAuth = migration('20261120120000-create-auth', [
  ...messagingTables,
  `create table accounts (
    id uuid primary key,
    created_at timestamptz not null,
    modified_at timestamptz,
    version integer not null default 1,
    email text not null,
    password_hash text not null
  )`,
  `create unique index accounts_by_email on accounts (lower(email))`,
  `create table organizations (
    id uuid primary key,
    created_at timestamptz not null,
    modified_at timestamptz,
    version integer not null default 1,
    name text not null check (length(name) between 3 and 100),
    slug text not null check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
    avatar_url text,
    email text,
    website text,
    socials jsonb not null default '[]',
    subscription_settings jsonb not null,
    constraint organizations_slug_unique unique (slug)
  )`,
  `create table members (
    organization_id uuid not null references organizations (id),
    account_id uuid not null references accounts (id),
    created_at timestamptz not null default now(),
    primary key (organization_id, account_id)
  )`,
  `create index members_by_account on members (account_id)`,
  `create table access_tokens (
    id uuid primary key,
    created_at timestamptz not null,
    modified_at timestamptz,
    version integer not null default 1,
    kind text not null check (kind in ('organization', 'personal')),
    token_hash text not null check (token_hash ~ '^[0-9a-f]{64}$'),
    organization_id uuid references organizations (id),
    account_id uuid not null references accounts (id),
    comment text not null,
    scopes text[] not null check (cardinality(scopes) > 0),
    expires_at timestamptz,
    last_used_at timestamptz,
    revoked_at timestamptz,
    constraint access_tokens_hash_unique unique (token_hash),
    constraint access_tokens_organization_by_kind check ((kind = 'organization') = (organization_id is not null))
  )`,
  `create index access_tokens_by_organization on access_tokens (organization_id, created_at) where organization_id is not null`,
  `create index access_tokens_by_account on access_tokens (account_id, created_at)`,
  `create table clients (
    id uuid primary key,
    created_at timestamptz not null,
    modified_at timestamptz,
    version integer not null default 1,
    client_id text not null,
    secret_hash text,
    name text not null,
    redirect_uris text[] not null check (cardinality(redirect_uris) > 0),
    scopes text[] not null check (cardinality(scopes) > 0),
    is_public boolean not null,
    constraint clients_client_id_unique unique (client_id),
    constraint clients_secret_by_kind check (is_public = (secret_hash is null))
  )`,
])
