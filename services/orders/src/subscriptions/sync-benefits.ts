import { sharedByCheckouts } from '@quittance/sql/sql-runner'
import type { Transaction } from '@quittance/runtime/handler'
import { cycleBenefits, grantBenefits, revokeBenefits } from '../entitlements/entitlement.ts'
import { lockBenefits } from '../entitlements/product-benefits.ts'
import type { Subscription } from './subscription.ts'
import { publishCustomerState } from '../customers/customer-state.ts'

const ofOtherProducts = `
  select id from benefit_grants
  where subscription_id = :subscription_id and organization_id = any (:scope_organizations) and (:scope_customer::uuid is null or customer_id = :scope_customer)
    and ${sharedByCheckouts} and revoked_at is null
    and benefit_id not in (select benefit_id from product_benefits where product_id = :product_id)`

/**
 * Makes the grants of a subscription those of the product: revokes those it lacks, grants its additional ones and keeps those of both. Returns
 * whether anything changed; if no other events follow, the caller then publishes the customer's state.
 */
export async function syncBenefits(
  { id, organizationId, productId, customerId }: Pick<Subscription, 'id' | 'organizationId' | 'productId' | 'customerId'>,
  context: Transaction,
): Promise<boolean> {
  await lockBenefits(context.sql, productId)
  const gone = await context.sql<{ id: string }>('subscription.other-grants', ofOtherProducts, {
    subscription_id: id,
    product_id: productId,
  })
  await revokeBenefits(context, { id: { $in: gone.map((grant) => grant.id) } })
  const hasGranted = await grantBenefits(context, { organizationId, productId, customerId, orderId: null, subscriptionId: id })
  return hasGranted || gone.length > 0
}

/** Publishes that the order of a further period was paid: the benefits continue. */
export async function publishRenewal({ id, customerId }: Subscription, context: Transaction): Promise<void> {
  await cycleBenefits(context, id)
  await publishCustomerState(context, customerId)
}
