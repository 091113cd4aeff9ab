import { migration } from '@quittance/runtime/schema'

/** This release sets `quittance.payments` on its connections; the release before does not. */
const isThisRelease = `current_setting('quittance.payments', true) = 'port'`

const reject = (row: string) =>
  `raise exception '${row} % belongs to a payment account, which this release does not know', new.id using errcode = '40001'`

/**
 * Rows written by the release before: it knows the sandbox, `status` and `due_at`. The trigger derives the columns of this release, and
 * rejects a change of rows it must not change: those of real accounts. 40001 makes that a conflict, and leaves a job undone.
 */
const payments = [
  `create function complete_payment() returns trigger language plpgsql as $$
  begin
    if ${isThisRelease} then return new; end if;
    if new.payment_account_id is not null then ${reject('payment')}; end if;
    if new.request is null then
      new.initiator := case when new.checkout_id is null then 'schedule' else 'buyer' end;
      new.request := (select jsonb_build_object('keep', o.subscription_id is not null, 'buyerPresent', new.checkout_id is not null,
          'source', jsonb_build_object('token', new.confirmation_token), 'returnUrl', null, 'description', 'Order ' || o.id, 'statement', null,
          'references', jsonb_build_object('organization', o.organization_id, 'customer', o.customer_id, 'order', o.id))
        from orders o where o.id = new.order_id);
    elsif new.status = old.status then
      -- The time of a check by the release before is also one of this release.
      if new.due_at is distinct from old.due_at and new.status = 'pending' then
        new.next_check_at := coalesce(new.due_at, now() + interval '1 day');
      end if;
      return new;
    end if;
    if new.status = 'pending' then
      new.next_check_at := coalesce(new.due_at, now() + interval '1 day');
      return new;
    end if;
    new.state := new.status;
    new.provider_payment := coalesce(new.provider_payment, 'sandbox_' || new.id);
    new.settled_at := coalesce(new.settled_at, now());
    new.next_check_at := null;
    new.action := null;
    if new.status = 'succeeded' then
      new.captured_amount := new.amount;
      new.applied_at := coalesce(new.applied_at, now());
    else
      new.failure_reason := coalesce(new.failure_reason, 'declined');
    end if;
    return new;
  end $$`,
  `create trigger payments_completed before insert or update on payments for each row execute function complete_payment()`,
]

const refunds = [
  `create function complete_refund() returns trigger language plpgsql as $$
  begin
    if ${isThisRelease} then return new; end if;
    new.payment_id := coalesce(new.payment_id, (select id from payments where order_id = new.order_id and applied_at is not null));
    if new.purpose = 'surplus' or exists (select from payments where id = new.payment_id and payment_account_id is not null) then
      ${reject('refund')};
    end if;
    if new.status <> 'pending' then
      new.state := new.status;
      new.next_check_at := new.due_at;
    end if;
    return new;
  end $$`,
  `create trigger refunds_completed before insert or update on refunds for each row execute function complete_refund()`,
]

const subscriptions = [
  `create function protect_subscription() returns trigger language plpgsql as $$
  begin
    if not coalesce(${isThisRelease}, false) and exists (
      select from payment_methods where id = new.payment_method_id and payment_account_id is not null) then ${reject('subscription')};
    end if;
    return new;
  end $$`,
  `create trigger subscriptions_protected before update on subscriptions for each row when (new.payment_method_id is not null)
    execute function protect_subscription()`,
]

/** Completes the existing rows through the same triggers, which also book them. */
const backfill = [`update payments set status = status`, `update refunds set status = status`]

const refundRules = [
  `alter table refunds
    alter column payment_id set not null,
    add constraint refunds_state check (state in ('created', 'submitted', 'processing', 'succeeded', 'failed', 'canceled')),
    add constraint refunds_status_of_state
      check (status = case when state in ('created', 'submitted', 'processing') then 'pending' else state end),
    add constraint refunds_not_forgotten check (status <> 'pending' or next_check_at is not null),
    add constraint refunds_quarantine_has_reason check ((quarantined_at is null) = (quarantine_reason is null)),
    add constraint refunds_surplus_is_whole check (purpose = 'order' or tax_amount = 0),
    add constraint refunds_payment foreign key (payment_id, currency) references payments (id, currency) not valid`,
  `alter table refunds validate constraint refunds_payment`,
  // A surplus may be in another currency than its order.
  `alter table refunds drop constraint refunds_currency`,
  `create index refunds_by_payment on refunds (payment_id)`,
  `create index refunds_to_check on refunds (next_check_at) where next_check_at is not null`,
  `create unique index refunds_one_per_surplus on refunds (payment_id) where purpose = 'surplus' and state not in ('failed', 'canceled')`,
  // Lists show refunds of orders only.
  `drop trigger count_inserted on refunds`,
  `create trigger count_inserted after insert on refunds for each row when (new.purpose = 'order') execute function count_inserted_refunds()`,
]

const paymentRules = [
  `alter table payments
    add constraint payments_state check (state in
      ('created', 'prepared', 'submitted', 'requires_action', 'processing', 'closing', 'failed', 'succeeded')),
    add constraint payments_status_of_state check (status =
      case when state in ('closing', 'failed') then 'failed' when state = 'succeeded' then 'succeeded' else 'pending' end),
    add constraint payments_requested check (request is not null),
    add constraint payments_settled_is_final check ((settled_at is not null) = (state in ('failed', 'succeeded'))),
    add constraint payments_not_forgotten check (settled_at is not null or quarantined_at is not null or next_check_at is not null),
    add constraint payments_succeeded_has_amount check ((state = 'succeeded') = (captured_amount is not null)),
    add constraint payments_captured_has_use check ((captured_amount is not null) = (applied_at is not null or surplus_at is not null)),
    add constraint payments_captured_has_one_use check (applied_at is null or surplus_at is null),
    add constraint payments_applied_in_full check (applied_at is null or captured_amount = amount),
    add constraint payments_refunds_within_captured check (refunded_amount + refunding_amount <= coalesce(captured_amount, 0)),
    add constraint payments_action_until_settled check (action is null or settled_at is null),
    add constraint payments_failed_has_reason check ((state in ('closing', 'failed')) = (failure_reason is not null)),
    add constraint payments_quarantine_has_reason check ((quarantined_at is null) = (quarantine_reason is null)),
    add constraint payments_sandbox_has_no_account check ((provider = 'sandbox') = (payment_account_id is null)),
    add constraint payments_account foreign key (payment_account_id, organization_id, provider, mode)
      references payment_accounts (id, organization_id, provider, mode),
    add constraint payments_method foreign key (payment_method_id, organization_id) references payment_methods (id, organization_id),
    add constraint payments_method_of_account foreign key (payment_method_id, payment_account_id)
      references payment_methods (id, payment_account_id)`,
  `create unique index payments_one_open_per_order on payments (order_id) where is_open`,
  `create unique index payments_one_applied_per_order on payments (order_id) where applied_at is not null`,
  // For the release before; two payments of an order may have succeeded if one is a surplus.
  `create unique index payments_one_unfailed_per_order on payments (order_id) where status <> 'failed' and surplus_at is null`,
  `drop index payments_one_success_per_order`,
  `create unique index payments_unique_at_provider on payments (payment_account_id, provider_payment) where provider_payment is not null`,
  `create index payments_to_check on payments (next_check_at) where next_check_at is not null`,
  `create index payments_by_order on payments (order_id, created_at)`,
  `create index payments_quarantined on payments (quarantined_at) where quarantined_at is not null`,
]

/**
 * An order keeps its amount and currency while a payment of it is open, and once one is applied. A declined payment may be of other terms:
 * a checkout that is confirmed again may be of another product.
 */
const terms = [
  `drop trigger payments_fit_order on payments`,
  `drop function payment_fits_order()`,
  `create function payment_has_terms_of_order() returns trigger language plpgsql as $$
  declare
    sold orders;
  begin
    select * into sold from orders where id = new.order_id for share;
    if (new.amount, new.currency) is distinct from (sold.total_amount, sold.currency) then
      raise exception 'payment % of % % is not of what order % asks for', new.id, new.amount, new.currency, sold.id
        using errcode = 'check_violation';
    end if;
    return null;
  end $$`,
  `create trigger payments_opened_for_terms after insert on payments for each row when (new.is_open)
    execute function payment_has_terms_of_order()`,
  `create trigger payments_reopened_for_terms after update on payments for each row when (new.is_open and not old.is_open)
    execute function payment_has_terms_of_order()`,
  `create trigger payments_changed_for_terms after update on payments for each row
    when ((old.amount, old.currency) is distinct from (new.amount, new.currency)) execute function payment_has_terms_of_order()`,
  `create trigger payments_applied_for_terms after update on payments for each row
    when (new.applied_at is not null and old.applied_at is null) execute function payment_has_terms_of_order()`,
  `create function order_keeps_terms() returns trigger language plpgsql as $$
  begin
    if exists (select from payments p join orders o on o.id = p.order_id where o.id = new.id and (p.is_open or p.applied_at is not null)
      and (p.amount, p.currency) is distinct from (o.total_amount, o.currency)) then
      raise exception 'order % has a payment, so its amount cannot change', new.id using errcode = 'check_violation';
    end if;
    return null;
  end $$`,
  // Deferred: the lines of an order, which are checked first, are replaced by other statements.
  `create constraint trigger orders_terms_kept after update of total_amount, currency on orders deferrable initially deferred for each row
    when ((old.total_amount, old.currency) is distinct from (new.total_amount, new.currency)) execute function order_keeps_terms()`,
]

/** Completes rows of the release before, existing and future ones, then adds the constraints that all rows keep. */
export const completePayments = migration('20261123142000-complete-payments', [
  ...payments,
  ...refunds,
  ...subscriptions,
  ...backfill,
  ...refundRules,
  ...paymentRules,
  ...terms,
])
