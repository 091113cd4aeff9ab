import { benefitGrantUpdated } from '@quittance/contracts/benefit-grants'
import type { Transaction } from '@quittance/runtime/handler'
import { Benefit } from '../catalog/benefits/benefit.ts'
import { lockCustomer } from '../customers/lock-customer.ts'
import { BenefitGrant } from './benefit-grant.ts'
import { oldestFirst, publishGrantEvents } from './entitlement.ts'
import { reinstateLicenseKeys } from './grant-license-keys.ts'

/**
 * Grants again what an order granted and lost, and publishes the events. Benefits deleted since stay revoked, and a deleted customer gets
 * nothing. Returns whether anything changed; the caller then publishes the customer's state.
 */
export async function reinstateBenefits(
  transaction: Transaction,
  { orderId, customerId }: { orderId: string; customerId: string },
): Promise<boolean> {
  const { em, now, sql } = transaction
  if (!(await lockCustomer(sql, customerId))) return false
  const revoked = await em.find(BenefitGrant, { orderId, revokedAt: { $ne: null } }, { orderBy: oldestFirst })
  const benefits = await em.find(Benefit, { id: { $in: revoked.map(({ benefitId }) => benefitId) }, deletedAt: null })
  const reinstated = revoked.filter((grant) => benefits.some(({ id }) => id === grant.benefitId) && grant.grant(now))
  await reinstateLicenseKeys(transaction, reinstated)
  await publishGrantEvents(transaction, { event: benefitGrantUpdated, grants: reinstated })
  return reinstated.length > 0
}
