import { migration } from '@quittance/runtime/schema'

/**
 * Sellers record that they returned what no order took of a receipt. It is booked, once for each receipt, and never what a payment has taken.
 * The previous release counts what was returned as received until all replicas are updated.
 */
export const returnReceipts = migration('20261129170000-return-receipts', [
  `alter table bank_receipts
    add column returned_amount bigint not null default 0,
    add column returned_at timestamptz,
    add constraint bank_receipts_returned_at_most_received
      check (returned_amount between 0 and amount and (returned_amount > 0) = (returned_at is not null)) not valid`,
  `alter table bank_receipts validate constraint bank_receipts_returned_at_most_received`,
  `alter table ledger_entries drop constraint ledger_entries_reason_check,
    add constraint ledger_entries_reason_check check (reason in ('captured', 'surplus', 'refund_reserved', 'refunded', 'refund_released',
      'refund_returned', 'overpaid', 'dispute_withdrawn', 'dispute_reinstated', 'received', 'receipt_returned')) not valid`,
  `alter table ledger_entries validate constraint ledger_entries_reason_check`,
  `create or replace function book_receipt() returns trigger language plpgsql as $$
  declare
    is_returned boolean := tg_op = 'UPDATE' and new.returned_amount <> old.returned_amount;
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
    if is_returned then
      if old.returned_at is not null then
        raise exception 'receipt % is returned once', new.id using errcode = 'restrict_violation';
      end if;
      if exists (select from payments p where p.id = new.payment_id
        and p.captured_amount > (select sum(r.amount - r.returned_amount) from bank_receipts r where r.payment_id = p.id)) then
        raise exception 'payment % has taken what receipt % returns', new.payment_id, new.id using errcode = 'check_violation';
      end if;
      insert into ledger_entries (organization_id, payment_account_id, currency, debit, credit, amount, reason, payment_id, bank_receipt_id)
        values (new.organization_id, new.payment_account_id, new.currency, 'unapplied', 'provider', new.returned_amount, 'receipt_returned',
          new.payment_id, new.id);
    end if;
    return null;
  end $$`,
])
