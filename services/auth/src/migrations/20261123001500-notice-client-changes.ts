import { migration } from '@quittance/runtime/schema'

/** Notices for the account page: a client was changed in a way that ended the authorizations of the user. */
export const noticeClientChanges = migration('20261123001500-notice-client-changes', [
  `create table client_change_notices (
    id uuid primary key default gen_random_uuid(),
    account_id uuid not null references accounts (id) on delete cascade,
    client_id text not null references clients (client_id) on delete cascade,
    created_at timestamptz not null default now()
  )`,
  `create index client_change_notices_by_account on client_change_notices (account_id, created_at)`,
  `create index client_change_notices_by_client on client_change_notices (client_id)`,
  `create index client_change_notices_by_age on client_change_notices (created_at)`,
])
