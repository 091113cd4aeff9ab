import { randomUUID } from 'node:crypto'
import { benefitGrantCreated, benefitGrantCycled, benefitGrantRevoked, benefitGrantUpdated } from '@quittance/contracts/benefit-grants'
import type { BenefitType } from '@quittance/contracts/benefits'
import type { LicenseKeyTerms } from '@quittance/contracts/license-keys'
import type { Transaction } from '@quittance/runtime/handler'
import { issueLicenseKey, reinstateLicenseKeys, revokeLicenseKeys } from '../license-keys/keys-of-grants.ts'
import type { LicenseKey } from '../license-keys/license-key.ts'
import { BenefitGrant } from './benefit-grant.ts'
import { tellGrants } from './tell-grants.ts'

/** What somebody has the benefits of a product by: a paid order, or else a subscription. */
export interface Entitlement {
  organizationId: string
  productId: string
  customerId: string
  orderId: string | null
  subscriptionId: string | null
}

interface GrantedBenefit {
  id: string
  type: BenefitType
  properties: unknown
}

const ofProduct = `
  select b.id, b.type, b.properties from product_benefits pb join benefits b on b.id = pb.benefit_id
  where pb.product_id = :product_id and b.deleted_at is null order by pb.position`

/** Whoever deletes the customer waits, and then revokes what is granted here. */
const holdCustomer = `select id from customers where id = :customer_id and deleted_at is null for share`

/**
 * Grants every benefit of the product that is not granted by this cause already, and says so. A deleted customer gets nothing.
 * Answers whether anything changed: then the caller, when nothing else is to be said, tells the customer's state.
 */
export async function grantBenefits(transaction: Transaction, entitlement: Entitlement): Promise<boolean> {
  const { em, now, rows } = transaction
  const { productId, customerId, ...cause } = entitlement
  const benefits = await rows<GrantedBenefit>('benefit-grants.of-product', ofProduct, { product_id: productId })
  if (benefits.length === 0) return false
  const [customer] = await rows('benefit-grants.hold-customer', holdCustomer, { customer_id: customerId })
  if (!customer) return false
  const known = await em.find(BenefitGrant, { ...cause, customerId, benefitId: { $in: benefits.map(({ id }) => id) } })
  const again = known.filter((grant) => grant.grant(now))
  await reinstateLicenseKeys(transaction, again)
  const isNew = ({ id }: { id: string }) => !known.some(({ benefitId }) => benefitId === id)
  const first = await giveFirst(transaction, { benefits: benefits.filter(isNew), entitlement })
  await tellGrants(transaction, { event: benefitGrantCreated, grants: first })
  await tellGrants(transaction, { event: benefitGrantUpdated, grants: again })
  return first.length + again.length > 0
}

/** The grants, and what comes with them, in one transaction: nobody has a grant of license keys without a key. */
async function giveFirst(
  transaction: Transaction,
  { benefits, entitlement }: { benefits: readonly GrantedBenefit[]; entitlement: Entitlement },
): Promise<BenefitGrant[]> {
  const { em, now } = transaction
  const { productId: _, ...cause } = entitlement
  const keys: LicenseKey[] = []
  const grants = benefits.map(({ id, type, properties }) => {
    const grant = em.create(BenefitGrant, { ...cause, id: randomUUID(), benefitId: id, grantedAt: now, revokedAt: null, properties: {} })
    if (type === 'license_keys') keys.push(issueLicenseKey(transaction, { grant, terms: properties as LicenseKeyTerms }))
    return grant
  })
  await em.flush()
  em.persist(keys)
  await em.flush()
  return grants
}

const oldestFirst = { createdAt: 'asc', id: 'asc' } as const

/** Whose grants end. */
type Ending = { orderId: string } | { subscriptionId: string } | { customerId: string } | { id: { $in: string[] } }

/**
 * Takes what was granted by an order or subscription, or to a customer, and says so. Answers the customers who lost something:
 * when nothing else is to be said, the caller tells their state.
 */
export async function revokeBenefits(transaction: Transaction, ending: Ending): Promise<string[]> {
  const { em, now } = transaction
  const granted = await em.find(BenefitGrant, { ...ending, revokedAt: null }, { orderBy: oldestFirst })
  const revoked = granted.filter((grant) => grant.revoke(now))
  await revokeLicenseKeys(transaction, revoked)
  await em.flush()
  await tellGrants(transaction, { event: benefitGrantRevoked, grants: revoked })
  return [...new Set(revoked.map(({ customerId }) => customerId))]
}

/** Says that a renewal of the subscription was paid, of every benefit had by it. Afterwards the caller tells the customer's state. */
export async function cycleBenefits(transaction: Transaction, subscriptionId: string): Promise<void> {
  const grants = await transaction.em.find(BenefitGrant, { subscriptionId, revokedAt: null }, { orderBy: oldestFirst })
  await tellGrants(transaction, { event: benefitGrantCycled, grants })
}
