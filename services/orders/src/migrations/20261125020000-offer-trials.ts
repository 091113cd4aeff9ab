import { migration } from '@quittance/runtime/schema'

/**
 * Trials. The release before sells a product with a trial without one, and does not end the trial of a subscription without a payment method: it
 * renews the subscription and counts a declined charge, without an order that is charged.
 */
export const offerTrials = migration('20261125020000-offer-trials', [
  `alter table products
    add column trial_interval text,
    add column trial_interval_count integer,
    add column trial_without_payment_method boolean not null default false,
    add constraint products_trial_interval check (trial_interval in ('day', 'week', 'month', 'year')) not valid,
    add constraint products_trial_has_length check (
      (trial_interval is null) = (trial_interval_count is null) and (trial_interval is null or trial_interval_count between 1 and 730)) not valid,
    add constraint products_trial_recurs check (trial_interval is null or recurring_interval is not null) not valid`,
  `alter table products validate constraint products_trial_interval`,
  `alter table products validate constraint products_trial_has_length`,
  `alter table products validate constraint products_trial_recurs`,
  `alter table checkouts add column allow_trial boolean not null default true, add column trial_end timestamptz`,
  `alter table subscriptions
    add column trial_start timestamptz,
    add column trial_end timestamptz,
    add column trial_end_announced_at timestamptz,
    add constraint subscriptions_trial_has_length check (
      (trial_start is null) = (trial_end is null) and (trial_start is null or trial_end > trial_start)) not valid,
    add constraint subscriptions_trialing_has_trial check (status <> 'trialing' or trial_end is not null) not valid`,
  `alter table subscriptions validate constraint subscriptions_trial_has_length`,
  `alter table subscriptions validate constraint subscriptions_trialing_has_trial`,
  `create index subscriptions_trials_to_announce on subscriptions (trial_end)
    where status = 'trialing' and not cancel_at_period_end and trial_end_announced_at is null`,
  `create table trial_redemptions (
    organization_id uuid not null,
    customer_id uuid not null references customers (id),
    product_id uuid not null references products (id),
    subscription_id uuid not null references subscriptions (id),
    created_at timestamptz not null default now(),
    primary key (customer_id, product_id)
  )`,
])
