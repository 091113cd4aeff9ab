import type { BenefitType } from '@quittance/contracts/benefits'
import { sharedByCustomers, type ScopedSql } from '@quittance/sql/sql-runner'

/** A benefit that is granted by a product. */
export interface GrantedBenefit {
  id: string
  type: BenefitType
  properties: unknown
}

const selectBenefits = `
  select b.id, b.type, b.properties from product_benefits pb join benefits b on b.id = pb.benefit_id
  where pb.product_id = :product_id and b.organization_id = any (:scope_organizations) and b.deleted_at is null and ${sharedByCustomers}
  order by pb.position`

/** Returns the benefits of a product, in their order. */
export function findBenefits(sql: ScopedSql, productId: string): Promise<GrantedBenefit[]> {
  return sql<GrantedBenefit>('benefit-grants.of-product', selectBenefits, { product_id: productId })
}

const lock = `
  select pg_advisory_xact_lock_shared(hashtextextended('product benefits ' || id, 0)) from products
  where id = :product_id and organization_id = any (:scope_organizations) and ${sharedByCustomers}`

/**
 * Makes a change of the product's benefits wait for the end of the transaction, and waits for one in progress. The job that follows the change
 * then finds every subscription with the benefits from before. Waiting is in order, so that many purchases do not keep a change from its turn.
 */
export async function lockBenefits(sql: ScopedSql, productId: string): Promise<void> {
  await sql('product-benefits.lock', lock, { product_id: productId })
}
