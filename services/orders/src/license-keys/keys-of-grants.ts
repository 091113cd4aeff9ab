import { randomUUID } from 'node:crypto'
import { LockMode } from '@mikro-orm/core'
import type { LicenseKeyTerms } from '@quittance/contracts/license-keys'
import type { Transaction } from '@quittance/runtime/handler'
import type { BenefitGrant } from '../benefits/benefit-grant.ts'
import { licenseKeyExpiry } from './license-key-expiry.ts'
import { displayKeyOf, newLicenseKeyText } from './license-key-text.ts'
import { LicenseKey, limitsOf } from './license-key.ts'

/** A key for a new grant, which names it in its properties. The caller persists it after the grant it belongs to. */
export function issueLicenseKey({ em, now }: Transaction, { grant, terms }: { grant: BenefitGrant; terms: LicenseKeyTerms }): LicenseKey {
  const key = newLicenseKeyText(terms.prefix)
  const issued = {
    ...limitsOf(terms),
    id: randomUUID(),
    organizationId: grant.organizationId,
    grantId: grant.id,
    benefitId: grant.benefitId,
    customerId: grant.customerId,
    key,
    displayKey: displayKeyOf(key),
    status: 'granted' as const,
    usage: 0,
    validations: 0n,
    lastValidatedAt: null,
    expiresAt: licenseKeyExpiry(terms.expires, now),
  }
  grant.properties = { license_key_id: issued.id, display_key: issued.displayKey }
  return em.create(LicenseKey, issued, { persist: false })
}

/** The keys of grants that were given again work again. */
export async function reinstateLicenseKeys(transaction: Transaction, grants: readonly BenefitGrant[]): Promise<void> {
  for (const key of await keysOf(transaction, grants)) key.reinstate()
}

/** The keys of grants that were revoked work no more. */
export async function revokeLicenseKeys(transaction: Transaction, grants: readonly BenefitGrant[]): Promise<void> {
  for (const key of await keysOf(transaction, grants)) key.revoke()
}

/** Locked, so that software that validates them at the same time is waited for and not run into. */
async function keysOf({ em }: Transaction, grants: readonly BenefitGrant[]): Promise<LicenseKey[]> {
  const ids = grants.flatMap(({ properties }) => (typeof properties['license_key_id'] === 'string' ? [properties['license_key_id']] : []))
  if (ids.length === 0) return []
  return em.find(LicenseKey, { id: { $in: ids } }, { orderBy: { id: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE })
}
