import { migration } from '@quittance/runtime/schema'

const aggregate = `id uuid primary key,
    created_at timestamptz not null,
    modified_at timestamptz,
    version integer not null default 1,
    organization_id uuid not null`

const settings = [
  `create table invoice_settings (
    ${aggregate},
    legal_name text check (length(legal_name) between 1 and 250),
    address jsonb,
    tax_id text,
    logo text check (logo ~ '^data:image/(png|jpeg);base64,'),
    footer text check (length(footer) <= 1000),
    locale text check (length(locale) <= 35),
    paper text check (paper in ('a4', 'letter')),
    invoice_prefix text check (invoice_prefix ~ '^[A-Z0-9]+([-/][A-Z0-9]+)*$'),
    credit_note_prefix text check (credit_note_prefix ~ '^[A-Z0-9]+([-/][A-Z0-9]+)*$'),
    yearly boolean not null default false,
    padding integer not null default 4 check (padding between 1 and 10),
    electronic boolean not null default false,
    constraint invoice_settings_one_per_organization unique (organization_id),
    constraint invoice_settings_prefixes_differ check (invoice_prefix <> credit_note_prefix)
  )`,
  `insert into invoice_settings (id, created_at, organization_id, invoice_prefix)
    select gen_random_uuid(), now(), organization_id, prefix from invoice_series`,
]

// A series is the prefix of a number. Allocating a number locks the row of the series until the document commits with it.
const series = [
  `create table document_series (
    organization_id uuid not null,
    kind text not null check (kind in ('invoice', 'credit_note')),
    prefix text not null check (prefix ~ '^[A-Z0-9]+([-/][A-Z0-9]+)*-$'),
    padding integer not null check (padding between 1 and 10),
    last_number bigint not null check (last_number >= 1),
    primary key (organization_id, prefix)
  )`,
  `insert into document_series (organization_id, kind, prefix, padding, last_number)
    select organization_id, 'invoice', prefix || '-', 4, last_number from invoice_series`,
  `alter table invoices drop constraint invoices_organization_id_fkey`,
  `drop table invoice_series`,
  `create trigger document_series_not_deleted before delete on document_series for each row execute function refuse_change()`,
  `create trigger document_series_not_truncated before truncate on document_series for each statement execute function refuse_change()`,
  `create trigger document_series_gapless before update on document_series
    for each row when (
      new.last_number <> old.last_number + 1
      or (old.organization_id, old.kind, old.prefix, old.padding) is distinct from (new.organization_id, new.kind, new.prefix, new.padding))
    execute function refuse_change()`,
]

const documents = [
  `alter table invoices disable trigger user`,
  `alter table invoices
    add column kind text not null default 'invoice' check (kind in ('invoice', 'credit_note')),
    add column series text,
    add column position bigint check (position >= 1),
    add column printed jsonb,
    add column corrects_id uuid references invoices (id),
    add column replaces_id uuid references invoices (id),
    add column refund_id uuid,
    drop constraint invoices_number_check,
    drop constraint invoices_one_per_order,
    add constraint invoices_number_check check (number ~ '^[A-Z0-9/-]+$' and number like series || '%'),
    add constraint invoices_credit_note_corrects check ((kind = 'credit_note') = (corrects_id is not null)),
    add constraint invoices_refund_is_credited check (refund_id is null or kind = 'credit_note'),
    add constraint invoices_invoice_replaces check (replaces_id is null or kind = 'invoice')`,
  `update invoices set series = regexp_replace(number, '[0-9]+$', ''), position = substring(number from '[0-9]+$')::bigint`,
  `alter table invoices alter column series set not null, alter column position set not null`,
  `alter table invoices enable trigger user`,
  `alter table invoices
    add constraint invoices_series foreign key (organization_id, series) references document_series (organization_id, prefix),
    add constraint invoices_position_unique unique (organization_id, series, position)`,
  // One invoice per order, one replacement per invoice, one credit note per refund and one for the rest.
  `create unique index invoices_first_of_order on invoices (order_id) where kind = 'invoice' and replaces_id is null`,
  `create unique index invoices_one_replacement on invoices (replaces_id) where replaces_id is not null`,
  `create unique index invoices_one_credit_note_per_refund on invoices (corrects_id, refund_id) where refund_id is not null`,
  `create unique index invoices_one_whole_credit_note on invoices (corrects_id) where kind = 'credit_note' and refund_id is null`,
  `create index invoices_by_order on invoices (order_id)`,
  `create index invoices_by_time on invoices (organization_id, kind, requested_at, id)`,
  `create index invoices_by_customer on invoices (customer_id, kind, requested_at, id)`,
  `drop trigger invoices_identity_permanent on invoices`,
  `create trigger invoices_identity_permanent before update on invoices
    for each row when (
      (old.id, old.organization_id, old.order_id, old.number, old.source, old.requested_at, old.kind, old.series, old.position, old.printed,
        old.corrects_id, old.replaces_id, old.refund_id)
      is distinct from
      (new.id, new.organization_id, new.order_id, new.number, new.source, new.requested_at, new.kind, new.series, new.position, new.printed,
        new.corrects_id, new.replaces_id, new.refund_id))
    execute function refuse_change()`,
]

/** Adds credit notes, replacements, series with a prefix chosen by the seller, and the seller settings printed on documents. */
export const correctInvoices = migration('20261121010000-correct-invoices', [...settings, ...series, ...documents])
