import { RequestValidationError } from '@quittance/contracts/errors'
import { maxProductBenefitsBytes } from '@quittance/contracts/products'
import type { ScopedSql } from '@quittance/sql/sql-runner'

const lock = `select pg_advisory_xact_lock(hashtextextended('benefit changes ' || :organization_id, 0))
  where :organization_id::uuid = any (:scope_organizations)`

/**
 * Makes changes of benefits and of the products that have them wait for one another, until the end of the transaction. A benefit that is deleted or
 * grows at the same time as a product gets it is then seen. Must come before any other lock of the transaction.
 */
export async function lockBenefitChanges(sql: ScopedSql, organizationId: string): Promise<void> {
  await sql('benefits.lock-changes', lock, { organization_id: organizationId })
}

/** A product and the size of its benefits. */
interface ProductSize {
  product_id: string
  bytes: number
}

const largest = (products: string) => `
  select pb.product_id, sum(octet_length(b.metadata::text) + octet_length(b.properties::text))::int as bytes
  from product_benefits pb join benefits b on b.id = pb.benefit_id
  where pb.product_id in (${products}) and b.organization_id = any (:scope_organizations) and b.deleted_at is null
  group by pb.product_id order by bytes desc limit 1`
const ofProduct = largest(':product_id')
const havingBenefit = largest('select product_id from product_benefits where benefit_id = :benefit_id')

/** Returns the product, of these with a benefit, whose benefits have the most metadata and properties; null if there is none. */
export async function findLargestProduct(
  sql: ScopedSql,
  products: { product_id: string } | { benefit_id: string },
): Promise<ProductSize | null> {
  const [found] =
    'product_id' in products
      ? await sql<ProductSize>('benefits.size-of-product', ofProduct, products)
      : await sql<ProductSize>('benefits.largest-product', havingBenefit, products)
  return found ?? null
}

/**
 * Throws if a change made the benefits of a product too large: a product with its benefits must fit in one reply and in one event. A change that makes
 * them smaller is accepted, even if they are still too large.
 */
export function assertProductSize(before: ProductSize | null, after: ProductSize | null, field: string): void {
  if (!after || after.bytes <= maxProductBenefitsBytes || after.bytes <= (before?.bytes ?? 0)) return
  const [maximum, size] = [maxProductBenefitsBytes, after.bytes].map((bytes) => `${Math.ceil(bytes / 1024)} KiB`)
  throw RequestValidationError.field(
    [field],
    `The benefits of a product may have ${maximum} of metadata and properties in all. Those of product ${after.product_id} would have ${size}.`,
  )
}
