import { sharedByCheckouts } from '@quittance/sql/sql-runner'
import { selectInTurn } from '../organizations/select-in-turn.ts'

/** A product that a job has claimed, because its benefits have changed. */
export interface BenefitSync {
  /** Of the product. */
  id: string
  organization_id: string
  /** Another one with each change, also after a pass has ended: the result of a page counts only for the revision with which it began. */
  revision: string
  /** Whether the grants of a customer could not be changed in this pass. */
  has_failed: boolean
}

/** A customer with a subscription whose grants differ; one without a customer if there is none. */
export interface DifferingRow {
  customer_id: string | null
  /** How many subscriptions the page has, and the last of them. */
  count: number
  last_started_at: string | null
  last_id: string | null
}

/** Subscriptions of a page. Of most there is nothing to change if a seller sets the same benefits again. */
export const pageSize = 100

export const claimSync = `
  update benefit_syncs set leased_until = now() + :lease * interval '1 millisecond'
  where id = any (array(${selectInTurn({
    table: 'benefit_syncs',
    dueColumn: 'due_at',
    isWaiting: 'true',
    isFree: '(leased_until is null or leased_until < now())',
    limit: '1',
  })}))
  returning id, organization_id, revision, has_failed`

/** Whether the grants of subscription `s`, which has access, differ from the benefits of product `c`. */
const differs = `s.status in ('trialing', 'active') and (
  exists (
    select from product_benefits pb join benefits b on b.id = pb.benefit_id
    where pb.product_id = c.id and b.deleted_at is null and not exists (
      select from benefit_grants g where g.subscription_id = s.id and g.benefit_id = pb.benefit_id and g.revoked_at is null))
  or exists (
    select from benefit_grants g where g.subscription_id = s.id and g.revoked_at is null and not exists (
      select from product_benefits pb where pb.product_id = c.id and pb.benefit_id = g.benefit_id)))`

/**
 * Reads the customers whose grants differ in the next page of the product's subscriptions, from the index `subscriptions_by_product_started`.
 * Its conditions and order rule out the index without the product, which would read those of others too. A subscription with a change of product
 * that is not paid has the benefits of the product before: these are few, and are read with the last page.
 */
export const readPage = `
  with page as materialized (
    select s.* from benefit_syncs c cross join lateral (
      select id, customer_id, status, started_at from subscriptions
      where (organization_id, product_id, started_at, id) > (c.organization_id, c.id, c.after_started_at, c.after_id)
        and (organization_id, product_id) <= (c.organization_id, c.id) and started_at is not null
      order by organization_id, product_id, started_at, id limit ${pageSize}) s
    where c.id = :id),
  last as (select started_at, id from page order by started_at desc, id desc limit 1),
  differing as (
    select s.customer_id from benefit_syncs c cross join page s
    where c.id = :id and ${differs} and not exists (select from unpaid_changes u where u.subscription_id = s.id)
    union (
      select s.customer_id from benefit_syncs c join unpaid_changes u on u.product_id = c.id join subscriptions s on s.id = u.subscription_id
      where c.id = :id and ${differs} and (select count(*) from page) < ${pageSize}))
  select d.customer_id, (select count(*)::int from page) as count, l.started_at::text as last_started_at, l.id as last_id
  from (select) one left join last l on true left join differing d on true`

export const continueSync = `
  update benefit_syncs set after_started_at = :last_started_at::timestamptz, after_id = :last_id::uuid, has_failed = has_failed or :has_failed::boolean,
    due_at = now(), leased_until = null
  where id = :id and revision = :revision::uuid`

/** A failure that another replica had with the same revision leads to another pass. */
export const endSync = 'delete from benefit_syncs where id = :id and revision = :revision::uuid and not has_failed'

/** Begins another pass after a minute, which finds the grants that could not be changed. */
export const repeatSync = `
  update benefit_syncs set after_started_at = '-infinity', after_id = '00000000-0000-0000-0000-000000000000', has_failed = false,
    due_at = now() + interval '1 minute', leased_until = null
  where id = :id and revision = :revision::uuid`

/** Locks the subscriptions of a customer that have the benefits of a product, and other grants: as many as a page has, in its order. */
export const lockBeneficiaries = `
  select s.id from products c cross join subscriptions s
  where c.id = :product_id and c.organization_id = any (:scope_organizations) and s.customer_id = :customer_id and ${differs}
    and c.id = coalesce((select u.product_id from unpaid_changes u where u.subscription_id = s.id order by u.created_at desc limit 1), s.product_id)
    and s.organization_id = any (:scope_organizations) and (:scope_customer::uuid is null or s.customer_id = :scope_customer) and ${sharedByCheckouts}
  order by s.started_at, s.id limit ${pageSize} for update of s`
