import { migration } from '@quittance/runtime/schema'

/**
 * Price and discount of the current period, where they are no longer those of the subscription. A planned product can be the same one at a new
 * price. The release before does not know the columns: the trigger clears them when it starts a period or prorates a change. This release, which sets
 * `quittance.period_terms`, clears them itself.
 */
export const recordPeriodTerms = migration('20261130040000-record-period-terms', [
  `alter table subscriptions
    add column period_price_id uuid references product_prices (id),
    add column period_discount_id uuid references discounts (id),
    drop constraint subscriptions_pending_product_is_billed,
    add constraint subscriptions_pending_product_is_billed
      check (pending_product_id is null or ended_at is null and not cancel_at_period_end) not valid`,
  `create function clear_period_terms() returns trigger language plpgsql as $$
  declare
    begins boolean := new.current_period_start <> old.current_period_start;
  begin
    if current_setting('quittance.period_terms', true) = 'recorded' then
      return new;
    end if;
    if new.period_price_id = old.period_price_id
      and (begins or new.product_price_id <> old.product_price_id and new.period_amount <> old.period_amount) then
      new.period_price_id := null;
    end if;
    if begins and new.period_discount_id = old.period_discount_id then
      new.period_discount_id := null;
    end if;
    return new;
  end $$`,
  `create trigger subscriptions_period_terms_cleared before update on subscriptions for each row
    when (old.period_price_id is not null or old.period_discount_id is not null) execute function clear_period_terms()`,
])
