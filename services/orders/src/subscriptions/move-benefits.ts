import type { Transaction } from '@quittance/runtime/handler'
import { grantBenefits, revokeBenefits } from '../benefits/entitlement.ts'
import type { Subscription } from './subscription.ts'

const ofOtherProducts = `
  select id from benefit_grants
  where subscription_id = :subscription_id and revoked_at is null
    and benefit_id not in (select benefit_id from product_benefits where product_id = :product_id)`

/** After a change of product: what the new one does not have goes, what it has besides comes, and what both have stays. */
export async function moveBenefits({ id, organizationId, productId, customerId }: Subscription, context: Transaction): Promise<void> {
  const gone = await context.rows<{ id: string }>('subscription.other-grants', ofOtherProducts, {
    subscription_id: id,
    product_id: productId,
  })
  await revokeBenefits(context, { id: { $in: gone.map((grant) => grant.id) } })
  await grantBenefits(context, { organizationId, productId, customerId, orderId: null, subscriptionId: id })
}
