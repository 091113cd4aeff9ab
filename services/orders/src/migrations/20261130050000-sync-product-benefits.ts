import { migration } from '@quittance/runtime/schema'

/**
 * Products whose benefits have changed, until a job has changed the grants of their subscriptions; `id` is that of the product. The triggers add
 * them for the release before too, which writes `product_benefits` and has no such job. They leave out deleted benefits, whose grants another job
 * revokes. Existing products are not added: their changes were for later buyers.
 */
export const syncProductBenefits = migration('20261130050000-sync-product-benefits', [
  `create table benefit_syncs (
    id uuid primary key references products (id),
    created_at timestamptz not null default now(),
    organization_id uuid not null,
    revision uuid not null default gen_random_uuid(),
    after_started_at timestamptz not null default '-infinity',
    after_id uuid not null default '00000000-0000-0000-0000-000000000000',
    has_failed boolean not null default false,
    due_at timestamptz not null default now(),
    leased_until timestamptz
  )`,
  `create index benefit_syncs_due on benefit_syncs (due_at)`,
  `create index benefit_syncs_due_by_organization on benefit_syncs (organization_id, due_at)`,
  `create index if not exists unpaid_changes_by_product on unpaid_changes (product_id)`,
  `create function request_benefit_sync() returns trigger language plpgsql as $$
  declare
    product record;
  begin
    for product in
      select p.id, p.organization_id from products p
      where p.id in (select c.product_id from changed c join benefits b on b.id = c.benefit_id where b.deleted_at is null)
      order by p.id
    loop
      -- Waits for the transactions that grant the benefits from before, so that a pass finds their subscriptions. Those after it wait for this one.
      perform pg_advisory_xact_lock(hashtextextended('product benefits ' || product.id, 0));
      -- A change during a pass begins another one.
      insert into benefit_syncs (id, organization_id) values (product.id, product.organization_id)
        on conflict (id) do update set revision = gen_random_uuid(), after_started_at = '-infinity',
          after_id = '00000000-0000-0000-0000-000000000000', has_failed = false, due_at = now(), leased_until = null;
    end loop;
    return null;
  end $$`,
  `create trigger product_benefits_sync_after_insert after insert on product_benefits
    referencing new table as changed for each statement execute function request_benefit_sync()`,
  `create trigger product_benefits_sync_after_delete after delete on product_benefits
    referencing old table as changed for each statement execute function request_benefit_sync()`,
])
