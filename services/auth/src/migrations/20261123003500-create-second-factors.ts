import { migration } from '@quittance/runtime/schema'

/** TOTP secrets are sealed with SECRETS_KEY; recovery codes and links that reset a password are stored as SHA-256 only. */
export const createSecondFactors = migration('20261123003500-create-second-factors', [
  `alter table accounts add column password_changed_at timestamptz`,

  `create table totp_secrets (
    account_id uuid primary key references accounts (id) on delete cascade,
    secret_sealed text not null,
    last_step bigint not null check (last_step > 0),
    created_at timestamptz not null default now()
  )`,
  `create table passkeys (
    id uuid primary key default gen_random_uuid(),
    account_id uuid not null references accounts (id) on delete cascade,
    credential_id text not null check (credential_id ~ '^[A-Za-z0-9_-]+$' and length(credential_id) <= 1400),
    public_key bytea not null,
    counter bigint not null check (counter >= 0),
    transports text[] not null,
    name text not null,
    is_backed_up boolean not null,
    created_at timestamptz not null default now(),
    last_used_at timestamptz,
    constraint passkeys_credential_id_unique unique (credential_id)
  )`,
  `create index passkeys_by_account on passkeys (account_id)`,
  `create table recovery_codes (
    code_hash text primary key check (code_hash ~ '^[0-9a-f]{64}$'),
    account_id uuid not null references accounts (id) on delete cascade,
    created_at timestamptz not null default now(),
    used_at timestamptz
  )`,
  `create index recovery_codes_by_account on recovery_codes (account_id)`,
  `create table password_resets (
    token_hash text primary key check (token_hash ~ '^[0-9a-f]{64}$'),
    account_id uuid not null references accounts (id) on delete cascade,
    removes_second_factors boolean not null,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    constraint password_resets_account_id_unique unique (account_id)
  )`,
  `create index password_resets_by_expiry on password_resets (expires_at)`,
])
