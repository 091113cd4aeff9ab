import { migration } from '@quittance/runtime/schema'

/** A line at its advertised price, after discount. */
const advertised = `i.amount - i.discount_amount + case when o.tax_behavior = 'inclusive' then i.tax_amount else 0 end`

/**
 * What an order returns, by refunds and by credits for unused time, is at most what was paid for it, in money or by credits of earlier
 * orders. The previous release writes orders without credits, which the constraint allows. Only orders with credit lines need values for
 * what they billed and used up. Credits that are pending at the update can still be refunded as well.
 */
export const boundCredits = migration('20261123120000-bound-credits', [
  `alter table orders
    add column creditable_amount bigint not null default 0 check (creditable_amount >= 0),
    add column credit_used_amount bigint not null default 0 check (credit_used_amount >= 0),
    add column credited_amount bigint not null default 0 check (credited_amount >= 0),
    add column next_payment_attempt_at timestamptz,
    add constraint orders_attempted_are_pending check (next_payment_attempt_at is null or status = 'pending') not valid`,
  `update orders t set creditable_amount = greatest(billed.price, 0), credit_used_amount = greatest(billed.credits, 0)
    from (
      select i.order_id, coalesce(sum(${advertised}) filter (where not i.proration), 0) as price,
        -sum(${advertised}) filter (where i.proration and (i.amount < 0 or i.product_price_id is null)) as credits
      from order_items i join orders o on o.id = i.order_id
      where o.subscription_id is not null
        and exists (select from order_items c where c.order_id = i.order_id and c.proration and c.amount < 0)
      group by i.order_id
    ) billed
    where billed.order_id = t.id`,
  `alter table orders add constraint orders_return_at_most_paid check (
    refunded_amount + refunding_amount + credited_amount
      + case when tax_behavior = 'inclusive' then refunded_tax_amount + refunding_tax_amount else 0 end
    <= credit_used_amount + case when tax_behavior = 'inclusive' then total_amount else net_amount end) not valid`,
  `alter table orders validate constraint orders_attempted_are_pending`,
  `alter table orders validate constraint orders_return_at_most_paid`,
  `create index orders_to_charge_again on orders (next_payment_attempt_at) where next_payment_attempt_at is not null`,
  `alter table prorations
    add column credited_order_id uuid references orders (id),
    add column released_at timestamptz,
    add constraint prorations_billed_or_released check (order_id is null or released_at is null) not valid`,
  `alter table prorations validate constraint prorations_billed_or_released`,
  `update prorations p set credited_order_id = (
      select o.id from orders o where o.subscription_id = p.subscription_id and o.created_at <= p.created_at order by o.created_at desc limit 1)
    where p.amount < 0 and p.order_id is null`,
  // A subscription that ends releases credit only: what is owed is billed.
  `create function released_prorations_are_credit() returns trigger language plpgsql as $$
  begin
    if (select sum(amount) from prorations where subscription_id = new.subscription_id and released_at is not null) > 0 then
      raise exception 'prorations of subscription % are owed', new.subscription_id using errcode = 'check_violation';
    end if;
    return null;
  end $$`,
  `create constraint trigger prorations_released_are_credit after insert or update of released_at on prorations
    deferrable initially deferred for each row when (new.released_at is not null) execute function released_prorations_are_credit()`,
])
