import { migration } from '@quittance/runtime/schema'

/**
 * What no payment has taken of a receipt: at first all of it. A captured payment takes its amount from its receipts, the oldest first. Existing
 * rows get the same values; receipts wait until then.
 */
const unapplied = [
  `alter table bank_receipts
    add column unapplied_amount bigint not null default 0,
    add column returned_amount bigint not null default 0,
    add column returned_at timestamptz`,
  // Books nothing: what was received and captured is booked.
  `alter table bank_receipts disable trigger bank_receipts_booked`,
  `update bank_receipts b set unapplied_amount = u.amount
    from (
      select r.id, case when p.captured_amount is null then r.amount else greatest(0, least(r.amount,
        sum(r.amount) over (partition by r.payment_id order by r.created_at, r.id) - p.captured_amount)) end as amount
      from bank_receipts r left join payments p on p.id = r.payment_id
    ) u
    where u.id = b.id and u.amount > 0`,
  `alter table bank_receipts enable trigger bank_receipts_booked`,
  `alter table bank_receipts add constraint bank_receipts_add_up check (unapplied_amount >= 0 and returned_amount >= 0
    and unapplied_amount + returned_amount <= amount and (returned_amount > 0) = (returned_at is not null)) not valid`,
  `alter table bank_receipts validate constraint bank_receipts_add_up`,
  `create function start_receipt() returns trigger language plpgsql as $$
  begin
    new.unapplied_amount := new.amount;
    return new;
  end $$`,
  `create trigger bank_receipts_started before insert on bank_receipts for each row execute function start_receipt()`,
  `create or replace function book_payment() returns trigger language plpgsql as $$
  declare
    is_received boolean := exists (select from bank_receipts where payment_id = new.id);
  begin
    if is_received then
      update bank_receipts b set unapplied_amount = u.amount
        from (
          select id, greatest(0, least(unapplied_amount, sum(unapplied_amount) over (order by created_at, id) - new.captured_amount)) as amount
          from bank_receipts where payment_id = new.id
        ) u
        where u.id = b.id and u.amount <> b.unapplied_amount;
      if new.surplus_at is not null then return null; end if;
    end if;
    insert into ledger_entries (organization_id, payment_account_id, currency, debit, credit, amount, reason, payment_id, order_id)
      select new.organization_id, new.payment_account_id, new.currency, case when is_received then 'unapplied' else 'provider' end, e.credit,
        new.captured_amount, e.reason, new.id, new.order_id
      from (select case when new.surplus_at is null then 'order' else 'unapplied' end as credit,
        case when new.surplus_at is null then 'captured' else 'surplus' end as reason) e;
    return null;
  end $$`,
]

/** Sellers record that they returned what is unapplied of a receipt. It is booked, once for each receipt. */
const returns = [
  `alter table ledger_entries drop constraint ledger_entries_reason_check,
    add constraint ledger_entries_reason_check check (reason in ('captured', 'surplus', 'refund_reserved', 'refunded', 'refund_released',
      'refund_returned', 'overpaid', 'dispute_withdrawn', 'dispute_reinstated', 'received', 'receipt_returned')) not valid`,
  `alter table ledger_entries validate constraint ledger_entries_reason_check`,
  `create or replace function book_receipt() returns trigger language plpgsql as $$
  begin
    if new.payment_id is not null and not exists (
      select from payments where id = new.payment_id and payment_account_id = new.payment_account_id) then
      raise exception 'payment % does not belong to the account of receipt %', new.payment_id, new.id using errcode = 'check_violation';
    end if;
    if tg_op = 'INSERT' then
      insert into ledger_entries (organization_id, payment_account_id, currency, debit, credit, amount, reason, payment_id, bank_receipt_id)
        values (new.organization_id, new.payment_account_id, new.currency, 'provider', 'unapplied', new.amount, 'received', new.payment_id, new.id);
      return null;
    end if;
    if (new.amount, new.currency, new.payment_account_id, new.bank_reference)
        is distinct from (old.amount, old.currency, old.payment_account_id, old.bank_reference)
      or new.payment_id is distinct from old.payment_id and (old.payment_id is not null or new.returned_at is not null) then
      raise exception 'receipt % is only assigned to a payment, once', new.id using errcode = 'restrict_violation';
    end if;
    if new.unapplied_amount > old.unapplied_amount then
      raise exception 'receipt % is applied or returned for good', new.id using errcode = 'restrict_violation';
    end if;
    if new.returned_amount <> old.returned_amount then
      if old.returned_at is not null or new.returned_amount <> old.unapplied_amount or new.unapplied_amount > 0 then
        raise exception 'what is unapplied of receipt % is returned as a whole, once', new.id using errcode = 'restrict_violation';
      end if;
      insert into ledger_entries (organization_id, payment_account_id, currency, debit, credit, amount, reason, payment_id, bank_receipt_id)
        values (new.organization_id, new.payment_account_id, new.currency, 'unapplied', 'provider', new.returned_amount, 'receipt_returned',
          new.payment_id, new.id);
    end if;
    return null;
  end $$`,
]

/** Money that no order has taken is listed, and its return is recorded. The previous release counts what was returned as received. */
export const returnReceipts = migration('20261129170000-return-receipts', [...unapplied, ...returns])
