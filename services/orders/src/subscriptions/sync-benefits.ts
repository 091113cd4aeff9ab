import { sharedByCheckouts } from '@quittance/sql/sql-runner'
import type { Transaction } from '@quittance/runtime/handler'
import { grantBenefits, revokeBenefits, cycleBenefits } from '../entitlements/entitlement.ts'
import type { Subscription } from './subscription.ts'
import { publishCustomerState } from '../customers/customer-state.ts'

const ofOtherProducts = `
  select id from benefit_grants
  where subscription_id = :subscription_id and organization_id = any (:scope_organizations) and (:scope_customer::uuid is null or customer_id = :scope_customer)
    and ${sharedByCheckouts} and revoked_at is null
    and benefit_id not in (select benefit_id from product_benefits where product_id = :product_id)`

/** Updates the benefits after a product change: revokes those the new product lacks, grants its additional ones and keeps those of both. */
export async function syncBenefits({ id, organizationId, productId, customerId }: Subscription, context: Transaction): Promise<void> {
  const gone = await context.sql<{ id: string }>('subscription.other-grants', ofOtherProducts, {
    subscription_id: id,
    product_id: productId,
  })
  await revokeBenefits(context, { id: { $in: gone.map((grant) => grant.id) } })
  await grantBenefits(context, { organizationId, productId, customerId, orderId: null, subscriptionId: id })
}

/** Publishes that the order of a further period was paid: the benefits continue. */
export async function publishRenewal({ id, customerId }: Subscription, context: Transaction): Promise<void> {
  await cycleBenefits(context, id)
  await publishCustomerState(context, customerId)
}
