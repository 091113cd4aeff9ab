import { migration } from '@quittance/runtime/schema'

const taxRates = [
  `create table tax_rates (
    id uuid primary key,
    created_at timestamptz not null,
    modified_at timestamptz,
    version integer not null default 1,
    organization_id uuid not null,
    country text not null check (country ~ '^[A-Z]{2}$'),
    state text check (state like country || '-%'),
    name text not null check (length(name) between 1 and 50),
    parts_per_million integer not null check (parts_per_million between 0 and 1000000),
    reverse_charge boolean not null
  )`,
  `create unique index tax_rates_one_per_place on tax_rates (organization_id, country, coalesce(state, ''))`,
]

const prices = [
  `alter table product_prices
    add column minimum_amount bigint check (minimum_amount > 0),
    add column maximum_amount bigint check (maximum_amount > 0),
    add column preset_amount bigint check (preset_amount > 0),
    add column tax_behavior text not null default 'exclusive' check (tax_behavior in ('exclusive', 'inclusive')),
    drop constraint product_prices_amount_type_check,
    add constraint product_prices_amount_type_check check (amount_type in ('fixed', 'custom', 'free')),
    drop constraint product_prices_amount_by_type,
    add constraint product_prices_amount_by_type check (
      (amount_type = 'free') = (price_currency is null)
      and (amount_type = 'fixed') = (price_amount is not null)
      and (amount_type = 'custom' or num_nonnulls(minimum_amount, maximum_amount, preset_amount) = 0)),
    add constraint product_prices_limits_in_order check (
      minimum_amount <= maximum_amount and preset_amount between coalesce(minimum_amount, 1) and coalesce(maximum_amount, preset_amount))`,
]

// The advertised price, which for an inclusive price is more than the amount without tax.
const checkouts = [
  `alter table checkouts
    add column price_amount bigint check (price_amount >= 0),
    add column taxes jsonb not null default '[]',
    alter column tax_amount drop not null`,
  `update checkouts set price_amount = amount`,
  `alter table checkouts alter column price_amount set not null`,
  `alter table subscriptions add column price_amount bigint check (price_amount >= 0)`,
  `update subscriptions s set price_amount = coalesce((select price_amount from product_prices where id = s.product_price_id), 0)`,
  `alter table subscriptions alter column price_amount set not null`,
]

const orders = [
  `alter table orders
    add column taxes jsonb not null default '[]',
    add column tax_behavior text not null default 'exclusive' check (tax_behavior in ('exclusive', 'inclusive')),
    add constraint orders_id_currency unique (id, currency)`,
  `alter table order_items add column discount_amount bigint not null default 0`,
  `update order_items i set discount_amount = o.discount_amount from orders o where o.id = i.order_id and i.position = 0`,
  `alter table refunds add constraint refunds_currency foreign key (order_id, currency) references orders (id, currency)`,
]

/** Checked when the transaction commits, because lines are written after their order. */
const linesAddUp = [
  `create function order_lines_add_up() returns trigger language plpgsql as $$
  declare
    sums record;
  begin
    select coalesce(sum(i.amount), 0) as amount, coalesce(sum(i.discount_amount), 0) as discount, coalesce(sum(i.tax_amount), 0) as tax,
      bool_or(p.price_currency <> o.currency) as mixed, o.subtotal_amount, o.discount_amount, o.tax_amount
    into sums
    from orders o
      left join order_items i on i.order_id = o.id
      left join product_prices p on p.id = i.product_price_id
    where o.id = new.id
    group by o.id;
    if (sums.amount, sums.discount, sums.tax) is distinct from (sums.subtotal_amount, sums.discount_amount, sums.tax_amount) then
      raise exception 'lines of order % do not add up to it', new.id using errcode = 'check_violation';
    end if;
    if sums.mixed then
      raise exception 'lines of order % are of another currency', new.id using errcode = 'check_violation';
    end if;
    return null;
  end $$`,
  `create constraint trigger orders_lines_add_up after insert or update of subtotal_amount, discount_amount, tax_amount, currency on orders
    deferrable initially deferred for each row execute function order_lines_add_up()`,
]

/** A retried order may have another currency than its failed payment; the charge uses the current amounts of the order. */
const paymentsFit = [
  `create function payment_fits_order() returns trigger language plpgsql as $$
  begin
    if not exists (select from orders where id = new.order_id and currency = new.currency and total_amount = new.amount) then
      raise exception 'payment % is not of what order % asks for', new.id, new.order_id using errcode = 'check_violation';
    end if;
    return null;
  end $$`,
  `create constraint trigger payments_fit_order after insert or update of amount, currency on payments
    deferrable initially deferred for each row execute function payment_fits_order()`,
]

/** Tax by country, tax-inclusive prices, amounts chosen by the buyer, and currencies that cannot be mixed. */
export const chargeTax = migration('20261121050000-charge-tax', [
  ...taxRates,
  ...prices,
  ...checkouts,
  ...orders,
  ...linesAddUp,
  ...paymentsFit,
])
