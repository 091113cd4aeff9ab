import { defineEntity, p, raw } from '@mikro-orm/core'
import { NotPermitted, RequestValidationError, ResourceNotFound } from '@quittance/contracts/errors'
import { maxCount, type LicenseKeyStatus, type LicenseKeyTerms } from '@quittance/contracts/license-keys'
import { customerFilter, organizationFilter } from '@quittance/runtime/database'
import { aggregateProperties } from '@quittance/runtime/schema'
import type { Metadata } from '@quittance/contracts/metadata'

const filterByCheckout = (checkoutId: string) => ({
  [raw(
    (alias) => `exists (select from benefit_grants bg join orders x on x.id = bg.order_id or x.subscription_id = bg.subscription_id
      where bg.id = ${alias}.grant_id and x.checkout_id = ?)`,
    [checkoutId],
  )]: [],
})

export const LicenseKeySchema = defineEntity({
  name: 'LicenseKey',
  tableName: 'license_keys',
  properties: {
    ...aggregateProperties,
    organizationId: p.uuid(),
    /** One key per grant. */
    grantId: p.uuid(),
    benefitId: p.uuid(),
    customerId: p.uuid(),
    key: p.text(),
    displayKey: p.text(),
    status: p.text().$type<LicenseKeyStatus>(),
    /** Null: no activations are allowed. */
    limitActivations: p.integer().nullable(),
    enableCustomerAdmin: p.boolean(),
    usage: p.integer(),
    limitUsage: p.integer().nullable(),
    validations: p.bigint('bigint'),
    lastValidatedAt: p.datetime().nullable(),
    expiresAt: p.datetime().nullable(),
  },
  filters: { ...organizationFilter, ...customerFilter(filterByCheckout) },
})

/** Absent keys leave the value unchanged; null removes a limit or the expiry. */
interface LicenseKeyChange {
  status?: LicenseKeyStatus | null | undefined
  usage?: number | undefined
  limit_activations?: number | null | undefined
  limit_usage?: number | null | undefined
  expires_at?: string | null | undefined
}

/** Beyond it a reply with all activations of a key, whose data its holder chooses, could exceed the maximum size. */
const maxActivationBytes = 4 * 1024 * 1024

export class LicenseKey extends LicenseKeySchema.class {
  change(change: LicenseKeyChange): void {
    if (change.status) this.status = change.status
    if (change.usage !== undefined) this.usage = change.usage
    if (change.limit_activations !== undefined) this.limitActivations = change.limit_activations
    if (change.limit_usage !== undefined) this.limitUsage = change.limit_usage
    if (change.expires_at !== undefined) this.expiresAt = change.expires_at ? new Date(change.expires_at) : null
  }

  /** Revokes the key with its grant. A key disabled by the seller stays disabled; otherwise the next payment would reinstate it. */
  revoke(): void {
    if (this.status === 'granted') this.status = 'revoked'
  }

  /** Reinstates the key with its grant, unchanged. */
  reinstate(): void {
    if (this.status === 'revoked') this.status = 'granted'
  }

  assertActive(now: Date): void {
    if (this.status !== 'granted') throw new ResourceNotFound('This license key is no longer active.')
    if (this.expiresAt && this.expiresAt <= now) throw new ResourceNotFound('This license key has expired.')
  }

  /** `active` is the number of its activations, `bytes` the size of their labels and meta; the row is locked while they are counted. */
  assertActivationAvailable({ active, bytes }: { active: number; bytes: number }): void {
    if (this.limitActivations === null || this.limitActivations === undefined) {
      throw new NotPermitted('This license key does not support activations. Validate it without one.')
    }
    if (active >= this.limitActivations) throw new NotPermitted('This license key has reached its activation limit.')
    if (bytes > maxActivationBytes) throw new NotPermitted('The activations of this license key hold too much data. Deactivate one.')
  }

  /** Counts one validation and the reported uses; both or neither. */
  validate({ uses, now }: { uses: number; now: Date }): void {
    const left = Math.max(0, (this.limitUsage ?? maxCount) - this.usage)
    if (uses > left) throw RequestValidationError.field(['increment_usage'], `This license key has ${left} uses left.`, 'less_than_equal')
    this.usage += uses
    this.validations += 1n
    this.lastValidatedAt = now
  }
}
LicenseKeySchema.setClass(LicenseKey)

/** Returns the limits that a new key copies from its benefit. Later changes of the benefit only affect later keys. */
export function licenseKeyLimits({ activations, limit_usage }: LicenseKeyTerms) {
  return {
    limitActivations: activations?.limit ?? null,
    enableCustomerAdmin: activations?.enable_customer_admin ?? false,
    limitUsage: limit_usage,
  }
}

/** Use of a key by one device or similar; deleted when it ends. */
export const LicenseKeyActivationSchema = defineEntity({
  name: 'LicenseKeyActivation',
  tableName: 'license_key_activations',
  properties: {
    ...aggregateProperties,
    organizationId: p.uuid(),
    licenseKeyId: p.uuid(),
    label: p.text(),
    conditions: p.json<Metadata>(),
    meta: p.json<Metadata>(),
  },
  filters: organizationFilter,
})
export class LicenseKeyActivation extends LicenseKeyActivationSchema.class {}
LicenseKeyActivationSchema.setClass(LicenseKeyActivation)
