import { migration } from '@quittance/runtime/schema'

/**
 * When the address and the tax id of a customer last changed; null for never. A subscription whose buyer was not proven keeps the details of
 * its last order until then. The triggers cover the release before too. Existing customers count as changed: their details were those of all
 * their subscriptions. Subscriptions read them by the customer, so there is no index.
 */
export const dateBillingChanges = migration('20261129213000-date-billing-changes', [
  `alter table customers
    add column billing_address_changed_at timestamptz default now(),
    add column tax_id_changed_at timestamptz default now()`,
  `alter table customers
    alter column billing_address_changed_at drop default,
    alter column tax_id_changed_at drop default`,
  `create function date_billing_changes() returns trigger language plpgsql as $$
  begin
    -- The time of the change, not of its transaction: an order placed in between has the details from before.
    if new.billing_address is distinct from old.billing_address then new.billing_address_changed_at := clock_timestamp(); end if;
    if new.tax_id is distinct from old.tax_id then new.tax_id_changed_at := clock_timestamp(); end if;
    return new;
  end $$`,
  `create trigger customers_date_billing_changes before update of billing_address, tax_id on customers
    for each row execute function date_billing_changes()`,
])
