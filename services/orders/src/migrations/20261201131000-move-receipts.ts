import { migration } from '@quittance/runtime/schema'

/**
 * A receipt of which its payment has taken nothing, and takes nothing any more, may be assigned to another payment that has no money yet. The
 * ledger has it in `unapplied` until then, whatever its payment. The previous release assigns a receipt once, as before.
 */
export const moveReceipts = migration('20261201131000-move-receipts', [
  `create function may_move_receipt(r bank_receipts, payment uuid) returns boolean language sql stable as $$
    select r.unapplied_amount = r.amount
      and exists (select from payments where id = r.payment_id and not is_open)
      and exists (select from payments where id = payment and captured_amount is null) $$`,
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
      or new.payment_id is distinct from old.payment_id
        and (new.returned_at is not null or old.payment_id is not null and not may_move_receipt(old, new.payment_id)) then
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
])
