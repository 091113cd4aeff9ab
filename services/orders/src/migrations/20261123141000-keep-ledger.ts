import { migration } from '@quittance/runtime/schema'
import { aggregate, callColumns } from './20261123140000-model-payments.ts'

const isCurrency = `check (currency ~ '^[a-z]{3}$')`

const disputes = [
  `create table disputes (
    ${aggregate},
    payment_id uuid not null,
    payment_account_id uuid not null references payment_accounts (id),
    provider_dispute text not null,
    status text not null check (status in ('warning', 'needs_response', 'under_review', 'won', 'lost', 'prevented', 'closed')),
    amount bigint not null check (amount > 0),
    currency text not null ${isCurrency},
    reason text not null,
    evidence_due_by timestamptz,
    funds text not null default 'none' check (funds in ('none', 'withdrawn', 'reinstated')),
    next_check_at timestamptz,
    leased_until timestamptz,
    observed_at timestamptz,
    quarantined_at timestamptz,
    constraint disputes_payment foreign key (payment_id, currency) references payments (id, currency),
    constraint disputes_unique_at_provider unique (payment_account_id, provider_dispute),
    constraint disputes_not_forgotten
      check (status in ('won', 'lost', 'prevented', 'closed') or quarantined_at is not null or next_check_at is not null)
  )`,
  `create index disputes_by_organization on disputes (organization_id, created_at, id)`,
  `create index disputes_by_payment on disputes (payment_id)`,
  `create index disputes_to_check on disputes (next_check_at) where next_check_at is not null`,
]

const receipts = [
  `create table bank_receipts (
    ${aggregate},
    payment_account_id uuid not null references payment_accounts (id),
    payment_id uuid,
    amount bigint not null check (amount > 0),
    currency text not null ${isCurrency},
    booked_on date not null,
    reference text,
    payer_name text,
    bank_reference text not null,
    source text not null check (source in ('seller', 'statement')),
    constraint bank_receipts_payment foreign key (payment_id, currency) references payments (id, currency),
    constraint bank_receipts_unique_at_bank unique (payment_account_id, bank_reference)
  )`,
  `create index bank_receipts_by_payment on bank_receipts (payment_id) where payment_id is not null`,
  `create index bank_receipts_unmatched on bank_receipts (organization_id, booked_on) where payment_id is null`,
]

const refunds = [
  `alter table refunds
    add column payment_id uuid,
    add column purpose text not null default 'order' check (purpose in ('order', 'surplus')),
    add column state text not null default 'created',
    add column provider_refund text,
    ${callColumns.map((column) => `add column ${column}`).join(', ')},
    add column failure_reason text,
    add column told_at timestamptz`,
  `alter table refunds drop constraint refunds_pending_are_due`,
]

const accounts = `('provider', 'order', 'unapplied', 'refunds_under_way', 'disputed')`

/** A row is one transfer between two accounts, so the books always balance. Rows are only inserted. */
const ledger = [
  `create table ledger_entries (
    id uuid primary key default gen_random_uuid(),
    created_at timestamptz not null default now(),
    organization_id uuid not null,
    payment_account_id uuid references payment_accounts (id),
    currency text not null ${isCurrency},
    debit text not null check (debit in ${accounts}),
    credit text not null check (credit in ${accounts}),
    amount bigint not null check (amount > 0),
    reason text not null check (reason in ('captured', 'surplus', 'refund_reserved', 'refunded', 'refund_released', 'refund_returned',
      'overpaid', 'dispute_withdrawn', 'dispute_reinstated')),
    payment_id uuid references payments (id),
    refund_id uuid references refunds (id),
    dispute_id uuid references disputes (id),
    bank_receipt_id uuid references bank_receipts (id),
    order_id uuid references orders (id),
    constraint ledger_entries_between_two_accounts check (debit <> credit),
    constraint ledger_entries_once unique nulls not distinct (reason, payment_id, refund_id, dispute_id, bank_receipt_id)
  )`,
  `create index ledger_entries_by_order on ledger_entries (order_id)`,
  `create index ledger_entries_by_payment on ledger_entries (payment_id)`,
  `create index ledger_entries_by_account on ledger_entries (organization_id, payment_account_id, currency, created_at)`,
  `create function ledger_is_permanent() returns trigger language plpgsql as $$
  begin
    raise exception 'ledger entries are only inserted' using errcode = 'restrict_violation';
  end $$`,
  `create trigger ledger_entries_permanent before update or delete on ledger_entries for each row execute function ledger_is_permanent()`,
  `create trigger ledger_entries_not_truncated before truncate on ledger_entries for each statement execute function ledger_is_permanent()`,
]

/**
 * The ledger follows the rows, whichever release or statement writes them. Money of an applied payment belongs to its order; money of a
 * surplus belongs to nothing and is returned.
 */
const bookPayments = [
  `create function book_payment() returns trigger language plpgsql as $$
  begin
    insert into ledger_entries (organization_id, payment_account_id, currency, debit, credit, amount, reason, payment_id, order_id)
      select new.organization_id, new.payment_account_id, new.currency, 'provider', e.credit, new.captured_amount, e.reason, new.id, new.order_id
      from (select case when new.surplus_at is null then 'order' else 'unapplied' end as credit,
        case when new.surplus_at is null then 'captured' else 'surplus' end as reason) e;
    return null;
  end $$`,
  `create trigger payments_inserted_booked after insert on payments for each row when (new.captured_amount is not null)
    execute function book_payment()`,
  `create trigger payments_booked after update on payments for each row
    when (old.captured_amount is null and new.captured_amount is not null) execute function book_payment()`,
]

/** Stages of a refund: its amount is reserved, returned to the buyer, or released again. Rows without a payment have not been booked. */
const bookRefunds = [
  `create function refund_stage(payment_id uuid, state text) returns text language sql immutable as $$
    select case when payment_id is null then 'none' when state in ('created', 'submitted', 'processing') then 'reserved'
      when state = 'succeeded' then 'returned' else 'released' end $$`,
  `create function add_refund_entry(r refunds, of_reason text, of_debit text, of_credit text) returns void language sql as $$
    insert into ledger_entries (organization_id, payment_account_id, currency, debit, credit, amount, reason, payment_id, refund_id, order_id)
      select r.organization_id, p.payment_account_id, r.currency, of_debit, of_credit, r.amount + r.tax_amount, of_reason, p.id, r.id, r.order_id
      from payments p where p.id = r.payment_id $$`,
  `create function book_refund() returns trigger language plpgsql as $$
  declare
    source text := case new.purpose when 'surplus' then 'unapplied' else 'order' end;
    before text := 'none';
    after text := refund_stage(new.payment_id, new.state);
    total bigint := new.amount + new.tax_amount;
  begin
    if tg_op = 'UPDATE' then before := refund_stage(old.payment_id, old.state); end if;
    if before = after then return null; end if;
    if before = 'none' and after in ('reserved', 'returned') then
      perform add_refund_entry(new, 'refund_reserved', source, 'refunds_under_way');
    end if;
    case before || ' ' || after
      when 'none reserved', 'none released' then null;
      when 'none returned', 'reserved returned' then perform add_refund_entry(new, 'refunded', 'refunds_under_way', 'provider');
      when 'reserved released' then perform add_refund_entry(new, 'refund_released', 'refunds_under_way', source);
      when 'returned released' then perform add_refund_entry(new, 'refund_returned', 'provider', source);
      else raise exception 'refund % cannot change from % to %', new.id, before, after using errcode = 'restrict_violation';
    end case;
    update payments set
      refunding_amount = refunding_amount + total * ((after = 'reserved')::int - (before = 'reserved')::int),
      refunded_amount = refunded_amount + total * ((after = 'returned')::int - (before = 'returned')::int)
      where id = new.payment_id;
    return null;
  end $$`,
  `create trigger refunds_booked after insert or update on refunds for each row execute function book_refund()`,
]

const bookDisputes = [
  `create function book_dispute() returns trigger language plpgsql as $$
  declare
    before text := case tg_op when 'INSERT' then 'none' else old.funds end;
  begin
    if before = new.funds then return null; end if;
    insert into ledger_entries (organization_id, payment_account_id, currency, debit, credit, amount, reason, payment_id, dispute_id, order_id)
      select new.organization_id, new.payment_account_id, new.currency, e.debit, e.credit, new.amount, e.reason, new.payment_id, new.id, p.order_id
      from payments p, (values ('withdrawn', 'disputed', 'provider', 'dispute_withdrawn'),
        ('reinstated', 'provider', 'disputed', 'dispute_reinstated')) e (funds, debit, credit, reason)
      where p.id = new.payment_id and (e.funds = new.funds or before = 'none' and new.funds = 'reinstated');
    return null;
  end $$`,
  `create trigger disputes_booked after insert or update on disputes for each row execute function book_dispute()`,
]

/** Refunds, disputes and bank receipts, and the ledger of all money. */
export const keepLedger = migration('20261123141000-keep-ledger', [
  ...disputes,
  ...receipts,
  ...refunds,
  ...ledger,
  ...bookPayments,
  ...bookRefunds,
  ...bookDisputes,
])
