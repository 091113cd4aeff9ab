import { randomUUID } from 'node:crypto'
import type { Caller } from '@quittance/contracts/caller'
import { organizationCaller } from '@quittance/testing/callers'
import type { TestService } from '@quittance/testing/harness'

/** A seller with orders of known kinds. */
export interface BulkSeller {
  organizationId: string
  seller: Caller
  productIds: string[]
  customerIds: string[]
}

const insertOrders = `with sold as (insert into orders (id, created_at, organization_id, status, billing_reason, currency, subtotal_amount, discount_amount,
    net_amount, tax_amount, total_amount, customer_id, product_id, discount_id, metadata, paid_at)
  select gen_random_uuid(), $5::timestamptz + n / 3 * interval '6 hours', $1, 'paid', 'purchase', 'usd', 1000 + n % 5, 0, 1000 + n % 5, 0,
    1000 + n % 5, ($2::uuid[])[1 + n % cardinality($2)], ($3::uuid[])[1 + n % cardinality($3)], case when n % 4 = 0 then $4::uuid end, '{}', now()
  from generate_series(1, $6) n returning *)
  insert into order_items (id, created_at, organization_id, order_id, position, label, amount, tax_amount, proration)
  select gen_random_uuid(), created_at, organization_id, id, 0, 'A book', subtotal_amount, 0, false from sold`

/** Inserts orders of three customers, two products (the second recurring) and one discount; three orders every six hours. */
export async function createOrders(service: TestService, count: number, organizationId: string = randomUUID()): Promise<BulkSeller> {
  const customerIds = [randomUUID(), randomUUID(), randomUUID()]
  const productIds = [randomUUID(), randomUUID()]
  const discountId = randomUUID()
  await service.rows(
    `insert into customers (id, created_at, organization_id, email, name)
      select id, now(), $1, chr(96 + n::int) || '@example.com', case n when 2 then null else 'Customer ' || n end
      from unnest($2::uuid[]) with ordinality c (id, n)`,
    [organizationId, customerIds],
  )
  await service.rows(
    `insert into products (id, created_at, organization_id, name, recurring_interval)
      select id, now(), $1, 'Product ' || n, case n when 2 then 'month' end from unnest($2::uuid[]) with ordinality p (id, n)`,
    [organizationId, productIds],
  )
  await service.rows(
    `insert into discounts (id, created_at, organization_id, name, type, duration, basis_points)
      values ($2, now(), $1, 'Ten', 'percentage', 'once', 1000)`,
    [organizationId, discountId],
  )
  await service.rows(insertOrders, [organizationId, customerIds, productIds, discountId, '2026-01-01T00:00:00Z', count])
  return { organizationId, seller: organizationCaller(organizationId), customerIds, productIds }
}

/** Inserts one more order of the first customer and product. */
export function createOneOrder(
  service: TestService,
  { organizationId, customerIds, productIds }: BulkSeller,
  at: string,
): Promise<unknown> {
  return service.rows(insertOrders, [organizationId, customerIds.slice(0, 1), productIds.slice(0, 1), null, at, 1])
}
