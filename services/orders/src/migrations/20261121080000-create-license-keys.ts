import { migration } from '@quittance/runtime/schema'

const aggregate = `id uuid primary key,
    created_at timestamptz not null,
    modified_at timestamptz,
    version integer not null default 1,
    organization_id uuid not null`

/** License keys of benefit grants, and their activations. */
export const createLicenseKeys = migration('20261121080000-create-license-keys', [
  `create table license_keys (
    ${aggregate},
    grant_id uuid not null references benefit_grants (id),
    benefit_id uuid not null references benefits (id),
    customer_id uuid not null references customers (id),
    key text not null check (length(key) >= 32),
    display_key text not null check (length(display_key) < length(key)),
    status text not null check (status in ('granted', 'revoked', 'disabled')),
    limit_activations integer check (limit_activations > 0),
    enable_customer_admin boolean not null,
    usage integer not null default 0 check (usage >= 0),
    limit_usage integer check (limit_usage > 0),
    validations bigint not null default 0 check (validations >= 0),
    last_validated_at timestamptz,
    expires_at timestamptz,
    constraint license_keys_once_per_grant unique (grant_id),
    constraint license_keys_key_unique unique (organization_id, key),
    constraint license_keys_validated check ((validations > 0) = (last_validated_at is not null))
  )`,
  `create index license_keys_by_organization on license_keys (organization_id, created_at, id)`,
  `create index license_keys_by_benefit on license_keys (benefit_id, created_at, id)`,
  `create index license_keys_by_customer on license_keys (customer_id, created_at, id)`,
  `create table license_key_activations (
    ${aggregate},
    license_key_id uuid not null references license_keys (id),
    label text not null,
    conditions jsonb not null default '{}',
    meta jsonb not null default '{}'
  )`,
  `create index license_key_activations_by_key on license_key_activations (license_key_id, created_at, id)`,
])
