import { migration } from '@quittance/runtime/schema'

/** Codes and addresses are keyed hashes. `customer_id` is null for an address of no customer, which is handled alike. */
export const createCustomerCodes = migration('20261123172000-create-customer-codes', [
  `create table customer_codes (
    id uuid primary key,
    organization_id uuid not null,
    customer_id uuid references customers (id),
    address_hash text not null check (address_hash ~ '^[0-9a-f]{64}$'),
    code_hash text not null check (code_hash ~ '^[0-9a-f]{64}$'),
    tries integer not null default 0 check (tries between 0 and 5),
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    ended_at timestamptz
  )`,
  `create index customer_codes_by_address on customer_codes (organization_id, address_hash, created_at)`,
  `create index customer_codes_by_time on customer_codes (created_at)`,
])
