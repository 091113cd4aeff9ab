import { migration } from '@quittance/runtime/schema'
import { issuedContentDigest } from '../permanence/content-digest.ts'

const table = [
  `create table document_links (
    organization_id uuid not null,
    series text not null,
    chain text not null check (chain in ('issued', 'stored')),
    position bigint not null check (position >= 1),
    number text not null,
    invoice_id uuid not null references invoices (id),
    content text not null check (content ~ '^[0-9a-f]{64}$'),
    previous text not null check (previous ~ '^[0-9a-f]{64}$'),
    digest text not null,
    created_at timestamptz not null default now(),
    primary key (organization_id, series, chain, position),
    constraint document_links_one_per_document unique (invoice_id, chain),
    constraint document_links_no_fork unique (organization_id, series, chain, previous),
    constraint document_links_digest_of_content check (digest = encode(sha256(convert_to(concat_ws(E'\\n', 'quittance document link 1',
      chain, organization_id, series, position, number, invoice_id, content, previous), 'UTF8')), 'hex'))
  )`,
  `create trigger document_links_permanent before update or delete on document_links for each row execute function refuse_change()`,
  `create trigger document_links_not_truncated before truncate on document_links for each statement execute function refuse_change()`,
]

// Runs as its owner: the role of the running service can only read links, so it cannot insert a false one.
const asOwner = `language plpgsql security definer set search_path = public, pg_temp`

const writing = [
  `create function append_document_link(of_chain text, of_invoice invoices, of_position bigint, of_content text) returns void ${asOwner} as $$
  declare
    last document_links;
    next_position bigint;
  begin
    select * into last from document_links
      where organization_id = of_invoice.organization_id and series = of_invoice.series and chain = of_chain order by position desc limit 1;
    next_position := coalesce(of_position, coalesce(last.position, 0) + 1);
    if next_position <= coalesce(last.position, 0) then
      raise exception '% is not the next document of its series', of_invoice.number using errcode = 'restrict_violation';
    end if;
    insert into document_links (organization_id, series, chain, position, number, invoice_id, content, previous, digest)
      select l.*, encode(sha256(convert_to(concat_ws(E'\\n', 'quittance document link 1', l.chain, l.organization_id, l.series, l.position,
        l.number, l.invoice_id, l.content, l.previous), 'UTF8')), 'hex')
      from (select of_invoice.organization_id, of_invoice.series, of_chain as chain, next_position as position, of_invoice.number,
        of_invoice.id as invoice_id, of_content as content, coalesce(last.digest, repeat('0', 64)) as previous) l;
  end $$`,
  `revoke all on function append_document_link from public`,
  // The transaction that allocated the number has locked the row of the series, so links are written in the order of numbers.
  `create function link_issued_document() returns trigger ${asOwner} as $$
  begin
    perform from document_series where organization_id = new.organization_id and prefix = new.series for update;
    perform append_document_link('issued', new, new.position, ${issuedContentDigest('new')});
    return null;
  end $$`,
  `create function link_stored_document() returns trigger ${asOwner} as $$
  declare
    stored_for invoices;
  begin
    select * into stored_for from invoices where id = new.invoice_id;
    -- Not the row of the series: documents are stored while numbers are taken.
    perform pg_advisory_xact_lock(hashtextextended(format('stored documents %s %s', stored_for.organization_id, stored_for.series), 0));
    perform append_document_link('stored', stored_for, null, encode(sha256(new.content), 'hex'));
    return null;
  end $$`,
  `create or replace function demand_document() returns trigger language plpgsql as $$
  begin
    if not exists (select from invoice_documents where invoice_id = new.id)
      or not exists (select from document_links where invoice_id = new.id and chain = 'stored') then
      raise exception 'invoice % has no document', new.number using errcode = 'restrict_violation';
    end if;
    return new;
  end $$`,
]

// Links existing documents: issued ones in the order of numbers, stored ones in the order of time. Writers wait during this.
const backfill = [
  `lock table invoices, invoice_documents in share row exclusive mode`,
  `do $$
  declare
    each invoices;
    stored record;
  begin
    for each in select * from invoices order by organization_id, series, position loop
      perform append_document_link('issued', each, each.position, ${issuedContentDigest('each')});
    end loop;
    for stored in
      select invoice_id, sha256 from invoice_documents d join invoices i on i.id = d.invoice_id
      order by i.organization_id, i.series, d.created_at, i.position
    loop
      select * into each from invoices where id = stored.invoice_id;
      perform append_document_link('stored', each, null, stored.sha256);
    end loop;
  end $$`,
  `create trigger invoices_linked after insert on invoices for each row execute function link_issued_document()`,
  `create trigger invoice_documents_linked after insert on invoice_documents for each row execute function link_stored_document()`,
]

/**
 * Adds two hash chains per series: of issued documents in the order of numbers, and of stored documents in the order of storage. Triggers
 * write the links in the transaction that issues or stores, also for replicas of the previous release.
 */
export const chainDocuments = migration('20261123091000-chain-documents', [...table, ...writing, ...backfill])
