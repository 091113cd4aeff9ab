import { migration } from '@quittance/runtime/schema'
import { messagingTables } from '@quittance/runtime/outbox'

const tables = [
  // Allocating a number updates this row, which locks the series until the invoice commits with it. Therefore no number is skipped.
  `create table invoice_series (
    organization_id uuid primary key,
    prefix text not null check (prefix ~ '^[A-Z0-9]+(-[A-Z0-9]+)*$' and length(prefix) <= 11),
    last_number bigint not null check (last_number >= 1)
  )`,
  `create table invoices (
    id uuid primary key,
    created_at timestamptz not null,
    modified_at timestamptz,
    version integer not null default 1,
    organization_id uuid not null references invoice_series (organization_id),
    order_id uuid not null,
    number text not null check (number ~ '^[A-Z0-9-]+$'),
    status text not null check (status in ('requested', 'generated', 'failed')),
    source jsonb not null,
    requested_at timestamptz not null,
    generated_at timestamptz,
    attempts integer not null default 0 check (attempts >= 0),
    next_attempt_at timestamptz,
    leased_until timestamptz,
    last_error text,
    constraint invoices_one_per_order unique (order_id),
    constraint invoices_number_unique unique (organization_id, number),
    constraint invoices_generated_has_time check ((status = 'generated') = (generated_at is not null)),
    constraint invoices_requested_is_due check ((status = 'requested') = (next_attempt_at is not null))
  )`,
  `create index invoices_due on invoices (next_attempt_at) where status = 'requested'`,
  `create table invoice_documents (
    invoice_id uuid primary key references invoices (id),
    content bytea not null,
    sha256 text not null,
    size integer not null,
    created_at timestamptz not null,
    constraint invoice_documents_hash_of_content check (sha256 = encode(sha256(content), 'hex')),
    constraint invoice_documents_size_of_content check (size = octet_length(content))
  )`,
  // PDF content is already compressed.
  `alter table invoice_documents alter column content set storage external`,
]

const permanence = [
  `create function refuse_change() returns trigger language plpgsql as $$
  begin
    raise exception '% on % refused: what was issued is permanent', tg_op, tg_table_name using errcode = 'restrict_violation';
  end $$`,
  `create trigger invoice_documents_permanent before update or delete on invoice_documents for each row execute function refuse_change()`,
  `create trigger invoice_documents_not_truncated before truncate on invoice_documents for each statement execute function refuse_change()`,
  `create trigger invoices_not_deleted before delete on invoices for each row execute function refuse_change()`,
  `create trigger invoices_not_truncated before truncate on invoices for each statement execute function refuse_change()`,
  `create trigger invoices_generated_permanent before update on invoices
    for each row when (old.status = 'generated') execute function refuse_change()`,
  `create trigger invoices_identity_permanent before update on invoices
    for each row when (
      (old.id, old.organization_id, old.order_id, old.number, old.source, old.requested_at)
      is distinct from (new.id, new.organization_id, new.order_id, new.number, new.source, new.requested_at))
    execute function refuse_change()`,
  `create function demand_document() returns trigger language plpgsql as $$
  begin
    if not exists (select from invoice_documents where invoice_id = new.id) then
      raise exception 'invoice % has no document', new.number using errcode = 'restrict_violation';
    end if;
    return new;
  end $$`,
  `create trigger invoices_generated_has_document before insert or update on invoices
    for each row when (new.status = 'generated') execute function demand_document()`,
  `create trigger invoice_series_not_deleted before delete on invoice_series for each row execute function refuse_change()`,
  `create trigger invoice_series_not_truncated before truncate on invoice_series for each statement execute function refuse_change()`,
  `create trigger invoice_series_gapless before update on invoice_series
    for each row when (
      new.last_number <> old.last_number + 1
      or (old.organization_id, old.prefix) is distinct from (new.organization_id, new.prefix))
    execute function refuse_change()`,
]

export const createInvoices = migration('20261120120000-create-invoices', [...messagingTables, ...tables, ...permanence])
