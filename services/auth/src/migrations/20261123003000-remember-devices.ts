import { migration } from '@quittance/runtime/schema'

/** Browsers that have signed in, per account. The cookie is stored as SHA-256 only. */
export const rememberDevices = migration('20261123003000-remember-devices', [
  `create table known_devices (
    account_id uuid not null references accounts (id) on delete cascade,
    device_hash text not null check (device_hash ~ '^[0-9a-f]{64}$'),
    signed_in_at timestamptz not null default now(),
    primary key (account_id, device_hash)
  )`,
  `create index known_devices_by_hash on known_devices (device_hash)`,
  `create index known_devices_by_sign_in on known_devices (signed_in_at)`,
])
