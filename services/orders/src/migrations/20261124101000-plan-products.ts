import { migration } from '@quittance/runtime/schema'

/**
 * A product to which a subscription changes with its next period. It is dropped with a cancellation and with any other change of product, also by
 * the release before, which does not know it: a period that would begin without the change is refused with 40001, and this release begins it.
 */
export const planProducts = migration('20261124101000-plan-products', [
  `alter table subscriptions add column pending_product_id uuid,
    add constraint subscriptions_pending_product foreign key (pending_product_id) references products (id) not valid`,
  `alter table subscriptions validate constraint subscriptions_pending_product`,
  `alter table subscriptions add constraint subscriptions_pending_product_is_billed
    check (pending_product_id is null or ended_at is null and not cancel_at_period_end and pending_product_id <> product_id) not valid`,
  `alter table subscriptions validate constraint subscriptions_pending_product_is_billed`,
  `create function keep_pending_product() returns trigger language plpgsql as $$
  begin
    if new.ended_at is not null or new.cancel_at_period_end or new.product_id <> old.product_id then
      new.pending_product_id := null;
    elsif new.current_period_start <> old.current_period_start then
      raise exception 'subscription % changes its product with this period', new.id using errcode = '40001';
    end if;
    return new;
  end $$`,
  `create trigger subscriptions_pending_product_kept before update on subscriptions for each row
    when (new.pending_product_id is not null and old.pending_product_id is not null) execute function keep_pending_product()`,
])
