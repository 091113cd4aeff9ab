import { randomUUID, randomBytes } from 'node:crypto'
import { LockMode } from '@mikro-orm/core'
import type { LicenseKeyTerms } from '@quittance/contracts/license-keys'
import type { Transaction } from '@quittance/runtime/handler'
import type { BenefitGrant } from './benefit-grant.ts'
import { LicenseKey, licenseKeyLimits } from './license-key.ts'
import { addMonths } from '../pricing/billing-period.ts'

/** Creates a key for a new grant, which names it in its properties. The caller persists it after the grant. */
export function issueLicenseKey({ em, now }: Transaction, { grant, terms }: { grant: BenefitGrant; terms: LicenseKeyTerms }): LicenseKey {
  const key = generateLicenseKey(terms.prefix)
  const issued = {
    ...licenseKeyLimits(terms),
    id: randomUUID(),
    organizationId: grant.organizationId,
    grantId: grant.id,
    benefitId: grant.benefitId,
    customerId: grant.customerId,
    key,
    displayKey: maskLicenseKey(key),
    status: 'granted' as const,
    usage: 0,
    validations: 0n,
    lastValidatedAt: null,
    expiresAt: licenseKeyExpiry(terms.expires, now),
  }
  grant.properties = { license_key_id: issued.id, display_key: issued.displayKey }
  return em.create(LicenseKey, issued, { persist: false })
}

/** Reinstates the keys of grants that were granted again. */
export async function reinstateLicenseKeys(transaction: Transaction, grants: readonly BenefitGrant[]): Promise<void> {
  for (const key of await lockKeys(transaction, grants)) key.reinstate()
}

/** Revokes the keys of revoked grants. */
export async function revokeLicenseKeys(transaction: Transaction, grants: readonly BenefitGrant[]): Promise<void> {
  for (const key of await lockKeys(transaction, grants)) key.revoke()
}

/** Locks the keys, so that a concurrent validation delays this transaction instead of conflicting with it. */
async function lockKeys({ em }: Transaction, grants: readonly BenefitGrant[]): Promise<LicenseKey[]> {
  const ids = grants.flatMap(({ properties }) => (typeof properties['license_key_id'] === 'string' ? [properties['license_key_id']] : []))
  if (ids.length === 0) return []
  return em.find(LicenseKey, { id: { $in: ids } }, { orderBy: { id: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE })
}

/**
 * Computes when a key issued now expires: after days of 24 hours, or after calendar months and years, at most on the last day of a shorter
 * month. In UTC.
 */
export function licenseKeyExpiry(expires: LicenseKeyTerms['expires'], now: Date): Date | null {
  if (!expires) return null
  const { ttl, timeframe } = expires
  if (timeframe === 'day') return new Date(now.getTime() + ttl * 86_400_000)
  return addMonths(now, { months: timeframe === 'month' ? ttl : 12 * ttl, anchorDay: now.getUTCDate() })
}

/** Generates a key: 128 random bits in groups that can be read aloud, after the seller's prefix, all uppercase. */
export function generateLicenseKey(prefix: string | null): string {
  const groups = randomBytes(16)
    .toString('hex')
    .toUpperCase()
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  return prefix ? `${prefix.toUpperCase()}-${groups}` : groups
}

/** Masks a key for display: enough to distinguish it from others, no help in guessing it. */
export function maskLicenseKey(key: string): string {
  return `****-${key.slice(-6)}`
}
