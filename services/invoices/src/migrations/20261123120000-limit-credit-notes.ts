import { migration } from '@quittance/runtime/schema'

const reversals = [
  `alter table invoices
    add column reverses_id uuid references invoices (id),
    add constraint invoices_reversal_is_invoice check (reverses_id is null or (kind = 'invoice' and replaces_id is null)) not valid`,
  `alter table invoices validate constraint invoices_reversal_is_invoice`,
  `create unique index invoices_one_reversal on invoices (reverses_id) where reverses_id is not null`,
  // The reversals of an order are further invoices of it.
  `create unique index invoices_one_first_of_order on invoices (order_id) where kind = 'invoice' and replaces_id is null and reverses_id is null`,
  `drop index invoices_first_of_order`,
  `alter index invoices_one_first_of_order rename to invoices_first_of_order`,
  `create trigger invoices_reversal_permanent before update on invoices
    for each row when (old.reverses_id is distinct from new.reverses_id) execute function refuse_change()`,
  // Refunds that were returned, also those without a credit note: an older event credits none of them.
  `create table reversed_refunds (
    refund_id uuid primary key,
    organization_id uuid not null,
    order_id uuid not null,
    created_at timestamptz not null default now()
  )`,
  `create index reversed_refunds_by_order on reversed_refunds (order_id)`,
]

/** Documents without a stored content are older than credit notes. */
const limits = [
  `create function credit_is_within_invoice() returns trigger language plpgsql as $$
  declare
    corrected invoices;
    net numeric;
    tax numeric;
  begin
    -- One credit note of an invoice at a time.
    select * into corrected from invoices where id = new.corrects_id for update;
    if corrected.kind <> 'invoice' or corrected.reverses_id is not null then
      raise exception 'credit note % does not correct the invoice of an order', new.number using errcode = 'check_violation';
    end if;
    if (new.printed ->> 'net')::numeric < 0 or (new.printed ->> 'tax')::numeric < 0 then
      raise exception 'credit note % is negative', new.number using errcode = 'check_violation';
    end if;
    select sum((n.printed ->> 'net')::numeric), sum((n.printed ->> 'tax')::numeric) into net, tax
      from invoices n left join invoices r on r.reverses_id = n.id
      where n.corrects_id = corrected.id and r.id is null;
    if net > (corrected.printed ->> 'net')::numeric or tax > (corrected.printed ->> 'tax')::numeric then
      raise exception 'credit notes exceed invoice %', corrected.number using errcode = 'check_violation';
    end if;
    return null;
  end $$`,
  `create trigger invoices_credit_within_invoice after insert on invoices
    for each row when (new.kind = 'credit_note') execute function credit_is_within_invoice()`,
  `create function reversal_equals_credit_note() returns trigger language plpgsql as $$
  declare
    reversed invoices;
  begin
    select * into reversed from invoices where id = new.reverses_id;
    if reversed.kind <> 'credit_note' or reversed.order_id <> new.order_id
      or (reversed.printed -> 'net', reversed.printed -> 'tax', reversed.printed -> 'total')
        is distinct from (new.printed -> 'net', new.printed -> 'tax', new.printed -> 'total') then
      raise exception 'invoice % does not reverse a credit note of its order', new.number using errcode = 'check_violation';
    end if;
    return null;
  end $$`,
  `create trigger invoices_reversal_equals_credit_note after insert on invoices
    for each row when (new.reverses_id is not null) execute function reversal_equals_credit_note()`,
]

/**
 * Credit notes that were not reversed are at most their invoice. Credit notes of the previous release are checked from here on: one that
 * exceeds its invoice, because a refund was returned, is rejected until its consumer runs this release.
 */
export const limitCreditNotes = migration('20261123120000-limit-credit-notes', [...reversals, ...limits])
