import { defineEntity, p } from '@mikro-orm/core'
import { NotPermitted, RequestValidationError, ResourceNotFound } from '@quittance/contracts/errors'
import { largestCount, type LicenseKeyStatus, type LicenseKeyTerms } from '@quittance/contracts/license-keys'
import { customerFilter, organizationFilter } from '@quittance/runtime/database'
import { aggregate } from '@quittance/runtime/entity'

export const LicenseKeySchema = defineEntity({
  name: 'LicenseKey',
  tableName: 'license_keys',
  properties: {
    ...aggregate,
    organizationId: p.uuid(),
    /** One grant, one key. */
    grantId: p.uuid(),
    benefitId: p.uuid(),
    customerId: p.uuid(),
    key: p.text(),
    displayKey: p.text(),
    status: p.text().$type<LicenseKeyStatus>(),
    /** Null: it takes none. */
    limitActivations: p.integer().nullable(),
    enableCustomerAdmin: p.boolean(),
    usage: p.integer(),
    limitUsage: p.integer().nullable(),
    validations: p.bigint('bigint'),
    lastValidatedAt: p.datetime().nullable(),
    expiresAt: p.datetime().nullable(),
  },
  filters: { ...organizationFilter, ...customerFilter },
})

/** Absent keys leave what is there; null takes a limit or the expiry away. */
interface LicenseKeyChange {
  status?: LicenseKeyStatus | null | undefined
  usage?: number | undefined
  limit_activations?: number | null | undefined
  limit_usage?: number | null | undefined
  expires_at?: string | null | undefined
}

export class LicenseKey extends LicenseKeySchema.class {
  change(change: LicenseKeyChange): void {
    if (change.status) this.status = change.status
    if (change.usage !== undefined) this.usage = change.usage
    if (change.limit_activations !== undefined) this.limitActivations = change.limit_activations
    if (change.limit_usage !== undefined) this.limitUsage = change.limit_usage
    if (change.expires_at !== undefined) this.expiresAt = change.expires_at ? new Date(change.expires_at) : null
  }

  /** Goes with its grant. One that the seller disabled stays so: otherwise the next payment would give it back. */
  revoke(): void {
    if (this.status === 'granted') this.status = 'revoked'
  }

  /** Comes back with its grant, the same as it was. */
  reinstate(): void {
    if (this.status === 'revoked') this.status = 'granted'
  }

  refuseUnlessGood(now: Date): void {
    if (this.status !== 'granted') throw new ResourceNotFound('This license key is no longer active.')
    if (this.expiresAt && this.expiresAt <= now) throw new ResourceNotFound('This license key has expired.')
  }

  /** `active` is how many activations it has; the row is locked while they are counted. */
  refuseActivation(active: number): void {
    if (this.limitActivations === null || this.limitActivations === undefined) {
      throw new NotPermitted('This license key takes no activations. It is validated without one.')
    }
    if (active >= this.limitActivations) throw new NotPermitted('This license key is activated as often as it may be.')
  }

  /** Counts one validation and the uses it reports; both or none. */
  validate({ uses, now }: { uses: number; now: Date }): void {
    const left = Math.max(0, (this.limitUsage ?? largestCount) - this.usage)
    if (uses > left) {
      throw RequestValidationError.field(['increment_usage'], `This license key has ${left} uses left.`, 'less_than_equal')
    }
    this.usage += uses
    this.validations += 1n
    this.lastValidatedAt = now
  }
}
LicenseKeySchema.setClass(LicenseKey)

/** What a new key takes from its benefit, once and for all: a later change of the benefit is for later keys. */
export function limitsOf({ activations, limit_usage }: LicenseKeyTerms) {
  return {
    limitActivations: activations?.limit ?? null,
    enableCustomerAdmin: activations?.enable_customer_admin ?? false,
    limitUsage: limit_usage,
  }
}
