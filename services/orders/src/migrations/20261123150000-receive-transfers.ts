import { migration } from '@quittance/runtime/schema'

/**
 * What buyers were asked to send to a bank account, and what sellers are asked to return. `id` is the reference that the payer names; `ours`
 * is the payment or refund. The money itself is in `bank_receipts`.
 */
const requests = [
  `create table transfer_requests (
    payment_account_id uuid not null references payment_accounts (id),
    id text not null,
    organization_id uuid not null,
    kind text not null check (kind in ('charge', 'refund')),
    ours uuid not null,
    amount bigint not null check (amount > 0),
    currency text not null check (currency ~ '^[a-z]{3}$'),
    instructions jsonb,
    status text not null check (status in ('prepared', 'requested', 'canceled', 'paid')),
    created_at timestamptz not null default now(),
    primary key (payment_account_id, id),
    constraint transfer_requests_once unique (kind, ours),
    constraint transfer_requests_instruct_buyers check ((kind = 'charge') = (instructions is not null)),
    constraint transfer_requests_paid_by_sellers check (status <> 'paid' or kind = 'refund')
  )`,
]

/** Money that arrived belongs to nothing until its payment is complete: the payment takes it from there, and what is over stays. */
const ledger = [
  `alter table ledger_entries drop constraint ledger_entries_reason_check,
    add constraint ledger_entries_reason_check check (reason in ('captured', 'surplus', 'refund_reserved', 'refunded', 'refund_released',
      'refund_returned', 'overpaid', 'dispute_withdrawn', 'dispute_reinstated', 'received')) not valid`,
  `alter table ledger_entries validate constraint ledger_entries_reason_check`,
  `create function book_receipt() returns trigger language plpgsql as $$
  begin
    if new.payment_id is not null and not exists (
      select from payments where id = new.payment_id and payment_account_id = new.payment_account_id) then
      raise exception 'payment % does not belong to the account of receipt %', new.payment_id, new.id using errcode = 'check_violation';
    end if;
    if tg_op = 'UPDATE' then
      if old.payment_id is not null or (new.amount, new.currency, new.payment_account_id, new.bank_reference)
        is distinct from (old.amount, old.currency, old.payment_account_id, old.bank_reference) then
        raise exception 'receipt % is only assigned to a payment, once', new.id using errcode = 'restrict_violation';
      end if;
      return null;
    end if;
    insert into ledger_entries (organization_id, payment_account_id, currency, debit, credit, amount, reason, payment_id, bank_receipt_id)
      values (new.organization_id, new.payment_account_id, new.currency, 'provider', 'unapplied', new.amount, 'received', new.payment_id, new.id);
    return null;
  end $$`,
  `create trigger bank_receipts_booked after insert or update on bank_receipts for each row execute function book_receipt()`,
  `create or replace function book_payment() returns trigger language plpgsql as $$
  declare
    is_received boolean := exists (select from bank_receipts where payment_id = new.id);
  begin
    if is_received and new.surplus_at is not null then return null; end if;
    insert into ledger_entries (organization_id, payment_account_id, currency, debit, credit, amount, reason, payment_id, order_id)
      select new.organization_id, new.payment_account_id, new.currency, case when is_received then 'unapplied' else 'provider' end, e.credit,
        new.captured_amount, e.reason, new.id, new.order_id
      from (select case when new.surplus_at is null then 'order' else 'unapplied' end as credit,
        case when new.surplus_at is null then 'captured' else 'surplus' end as reason) e;
    return null;
  end $$`,
]

const indexes = [`create index bank_receipts_by_organization on bank_receipts (organization_id, created_at, id)`]

/** Payments that buyers send to a bank account. */
export const receiveTransfers = migration('20261123150000-receive-transfers', [...requests, ...ledger, ...indexes])
