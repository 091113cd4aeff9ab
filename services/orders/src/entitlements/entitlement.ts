import { randomUUID } from 'node:crypto'
import {
  benefitGrantCreated,
  benefitGrantCycled,
  benefitGrantRevoked,
  benefitGrantUpdated,
  type GrantEvent,
} from '@quittance/contracts/benefit-grants'
import type { LicenseKeyTerms } from '@quittance/contracts/license-keys'
import type { Transaction } from '@quittance/runtime/handler'
import { issueLicenseKey, reinstateLicenseKeys, revokeLicenseKeys } from './grant-license-keys.ts'
import { lockCustomer } from '../customers/lock-customer.ts'
import { findBenefits, type GrantedBenefit } from './product-benefits.ts'
import type { LicenseKey } from './license-key.ts'
import { BenefitGrant } from './benefit-grant.ts'
import { benefitGrantWebhookView } from './benefit-grant-view.ts'

/** Cause of the grants of a product's benefits: a paid order or a subscription. */
export interface Entitlement {
  organizationId: string
  productId: string
  customerId: string
  orderId: string | null
  subscriptionId: string | null
}

/**
 * Grants every benefit of the product that this cause has not granted yet, and publishes the grant events. For a subscription, the caller has
 * called `lockBenefits`; grants of one-time orders stay when the benefits of the product change. A deleted customer gets nothing;
 * a concurrent deletion waits and then revokes the benefits granted here. Returns whether anything changed; if no other events follow, the caller then publishes the customer's state.
 */
export async function grantBenefits(transaction: Transaction, entitlement: Entitlement): Promise<boolean> {
  const { em, now, sql } = transaction
  const { productId, customerId, ...cause } = entitlement
  const benefits = await findBenefits(sql, productId)
  if (benefits.length === 0) return false
  if (!(await lockCustomer(sql, customerId))) return false
  const known = await em.find(BenefitGrant, { ...cause, customerId, benefitId: { $in: benefits.map(({ id }) => id) } })
  const reinstated = known.filter((grant) => grant.grant(now))
  await reinstateLicenseKeys(transaction, reinstated)
  const isNew = ({ id }: { id: string }) => !known.some(({ benefitId }) => benefitId === id)
  const created = await createGrants(transaction, { benefits: benefits.filter(isNew), entitlement })
  await publishGrantEvents(transaction, { event: benefitGrantCreated, grants: created })
  await publishGrantEvents(transaction, { event: benefitGrantUpdated, grants: reinstated })
  return created.length + reinstated.length > 0
}

/** Creates the grants and their license keys in one transaction, so no grant of license keys exists without a key. */
async function createGrants(
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

export const oldestFirst = { createdAt: 'asc', id: 'asc' } as const

/** Selects the grants to revoke. */
type Ending = { orderId: string } | { subscriptionId: string } | { customerId: string } | { id: { $in: string[] } }

/**
 * Revokes the grants of an order or subscription, or of a customer, and publishes the events. Returns the ids of the affected customers; if
 * no other events follow, the caller publishes their state.
 */
export async function revokeBenefits(transaction: Transaction, ending: Ending): Promise<string[]> {
  const { em, now } = transaction
  const granted = await em.find(BenefitGrant, { ...ending, revokedAt: null }, { orderBy: oldestFirst })
  const revoked = granted.filter((grant) => grant.revoke(now))
  await revokeLicenseKeys(transaction, revoked)
  await em.flush()
  await publishGrantEvents(transaction, { event: benefitGrantRevoked, grants: revoked })
  return [...new Set(revoked.map(({ customerId }) => customerId))]
}

/** Revokes all grants of a customer. */
export async function revokeCustomerBenefits(context: Transaction, { customerId }: { customerId: string }): Promise<void> {
  await revokeBenefits(context, { customerId })
}

/**
 * Publishes, for every benefit granted by the subscription, that a renewal was paid. The caller publishes the customer's state afterwards.
 */
export async function cycleBenefits(transaction: Transaction, subscriptionId: string): Promise<void> {
  const grants = await transaction.em.find(BenefitGrant, { subscriptionId, revokedAt: null }, { orderBy: oldestFirst })
  await publishGrantEvents(transaction, { event: benefitGrantCycled, grants })
}

/** Publishes one event per grant. The customer is the aggregate, so that the customer's state follows these events. */
export async function publishGrantEvents(
  { read, publish }: Transaction,
  { event, grants }: { event: GrantEvent; grants: readonly BenefitGrant[] },
): Promise<void> {
  for (const { id, organizationId, customerId } of grants) {
    const view = await read.one(benefitGrantWebhookView, { where: 'g.id = :id', values: { id } })
    publish({ event, aggregateId: customerId, organizationId, payload: view })
  }
}
