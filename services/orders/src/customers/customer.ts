import { defineEntity, p } from '@mikro-orm/core'
import type { Address } from '@quittance/contracts/address'
import { RequestValidationError } from '@quittance/contracts/errors'
import type { Metadata } from '@quittance/contracts/metadata'
import type { TaxId } from '@quittance/contracts/tax-id'
import { organizationFilter } from '@quittance/runtime/database'
import { aggregateProperties } from '@quittance/runtime/schema'
import { validateTaxId } from '@quittance/runtime/tax-id'

export const CustomerSchema = defineEntity({
  name: 'Customer',
  tableName: 'customers',
  properties: {
    ...aggregateProperties,
    organizationId: p.uuid(),
    externalId: p.text().nullable(),
    email: p.text(),
    emailVerified: p.boolean(),
    name: p.text().nullable(),
    billingAddress: p.json<Address>().nullable(),
    taxId: p.json<TaxId>().nullable(),
    /** Set by a trigger; null if unchanged since the customer was created. */
    billingAddressChangedAt: p.datetime().nullable(),
    taxIdChangedAt: p.datetime().nullable(),
    locale: p.text().nullable(),
    metadata: p.json<Metadata>(),
    deletedAt: p.datetime().nullable(),
    /** When the personal data that other tables still hold is removed next; null if there is none to remove. */
    anonymizeDueAt: p.datetime().nullable(),
  },
  filters: organizationFilter,
})

/** Absent keys leave the value unchanged. */
export interface CustomerChange {
  email?: string | null | undefined
  /** Set if the customer entered a code that was mailed to the address of this change. */
  email_verified?: true
  name?: string | null | undefined
  external_id?: string | null | undefined
  billing_address?: Address | null | undefined
  tax_id?: TaxId | null | undefined
  locale?: string | null | undefined
  metadata?: Metadata | undefined
}

/** Domain of the addresses of anonymized customers. No mail can reach it (RFC 6761 §6.4). */
export const anonymizedDomain = 'anonymized.invalid'

export class Customer extends CustomerSchema.class {
  /** Applies the keys that are present. A new e-mail address is unverified unless it was proven; an external id cannot change once set. */
  change(change: CustomerChange): void {
    if (change.email && change.email !== this.email) {
      this.email = change.email
      this.emailVerified = false
    }
    if (change.email_verified) this.emailVerified = true
    if (change.external_id !== undefined && change.external_id !== this.externalId) {
      if (this.externalId) throw RequestValidationError.field(['external_id'], 'Customer external ID cannot be updated.')
      this.externalId = change.external_id
    }
    if (change.name !== undefined) this.name = change.name
    if (change.billing_address !== undefined) this.billingAddress = change.billing_address
    if (change.tax_id !== undefined) this.taxId = change.tax_id && validateTaxId(change.tax_id, 'tax_id')
    if (change.locale !== undefined) this.locale = change.locale
    if (change.metadata) this.metadata = change.metadata
  }

  /** Releases the external id for other customers; the metadata keeps the old value. */
  delete(now: Date): void {
    this.deletedAt = now
    if (this.externalId) this.metadata = { ...this.metadata, __external_id: this.externalId }
    this.externalId = null
  }

  /** Removes the personal data of a deleted customer, and lets a job remove what other tables hold. */
  anonymize(now: Date): void {
    if (!this.deletedAt) throw new Error(`Customer ${this.id} is not deleted`)
    this.email = `${this.id}@${anonymizedDomain}`
    this.emailVerified = false
    this.name = null
    this.billingAddress = null
    this.taxId = null
    this.locale = null
    this.metadata = {}
    this.anonymizeDueAt = now
  }
}
CustomerSchema.setClass(Customer)
