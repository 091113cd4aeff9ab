import type { LicenseKeyTerms } from '@quittance/contracts/license-keys'
import { addMonths } from '../subscriptions/subscription-period.ts'

/** When a key that is given now ends: days of 24 hours, or calendar months and years to the last day of a shorter month. In UTC. */
export function licenseKeyExpiry(expires: LicenseKeyTerms['expires'], now: Date): Date | null {
  if (!expires) return null
  const { ttl, timeframe } = expires
  if (timeframe === 'day') return new Date(now.getTime() + ttl * 86_400_000)
  return addMonths(now, { months: timeframe === 'month' ? ttl : 12 * ttl, anchorDay: now.getUTCDate() })
}
