import { migration } from '@quittance/runtime/schema'

/**
 * Invitations that the invited user accepts or declines, and personal access tokens bound to organizations. Runs beside release 0.1.0,
 * which writes neither the table nor the column.
 */
export const createInvitations = migration('20261123001000-create-invitations', [
  `create table invitations (
    id uuid primary key,
    created_at timestamptz not null default now(),
    organization_id uuid not null references organizations (id),
    email text not null check (length(email) between 3 and 254),
    invited_by uuid not null references accounts (id),
    token_hash text not null check (token_hash ~ '^[0-9a-f]{64}$'),
    expires_at timestamptz not null,
    closed_at timestamptz,
    outcome text check (outcome in ('accepted', 'declined', 'revoked', 'replaced')),
    accepted_by uuid references accounts (id),
    constraint invitations_token_unique unique (token_hash),
    constraint invitations_expire check (expires_at > created_at),
    constraint invitations_closed_with_outcome check ((closed_at is null) = (outcome is null)),
    constraint invitations_accepted_by_account check ((outcome is not distinct from 'accepted') = (accepted_by is not null))
  )`,
  `create unique index invitations_open on invitations (organization_id, lower(email)) where closed_at is null`,
  `create index invitations_open_by_email on invitations (lower(email)) where closed_at is null`,
  `create index invitations_by_organization on invitations (organization_id, created_at)`,
  `create index invitations_by_inviter on invitations (invited_by, created_at)`,
  // Null: all organizations the user is a member of.
  `alter table access_tokens add column organization_ids uuid[],
    add constraint access_tokens_bound_by_kind check (organization_ids is null or kind = 'personal')`,
  // A membership that ends leaves every bound token permanently: one that begins later is another membership.
  `create function unbind_tokens_of_member() returns trigger language plpgsql as $$ begin
    update access_tokens set organization_ids = array_remove(organization_ids, old.organization_id)
    where account_id = old.account_id and organization_ids @> array[old.organization_id];
    return null;
  end $$`,
  `create trigger unbind_tokens_of_member after delete on members for each row execute function unbind_tokens_of_member()`,
])
