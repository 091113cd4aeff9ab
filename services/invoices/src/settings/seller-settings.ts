import { defineEntity, p } from '@mikro-orm/core'
import type { Address } from '@quittance/contracts/address'
import { RequestValidationError } from '@quittance/contracts/errors'
import type { InvoiceSettings } from '@quittance/contracts/invoice-settings'
import { organizationFilter } from '@quittance/runtime/database'
import { aggregateProperties } from '@quittance/runtime/schema'
import { canCollide, formatLongestNumber, isReservedForCreditNotes, maxNumberLength, type Numbering } from '../series/number-format.ts'

/** Data of an organization printed on its documents, and their number format. */
export const SellerSettingsSchema = defineEntity({
  name: 'SellerSettings',
  tableName: 'invoice_settings',
  properties: {
    ...aggregateProperties,
    organizationId: p.uuid(),
    legalName: p.text().nullable(),
    address: p.json<Address>().nullable(),
    taxId: p.text().nullable(),
    logo: p.text().nullable(),
    footer: p.text().nullable(),
    locale: p.text().nullable(),
    paper: p.text().$type<'a4' | 'letter'>().nullable(),
    invoicePrefix: p.text().nullable(),
    creditNotePrefix: p.text().nullable(),
    yearly: p.boolean(),
    padding: p.integer(),
    electronic: p.boolean(),
  },
  filters: organizationFilter,
})

export type SettingsChange = { [Key in keyof Omit<InvoiceSettings, 'organization_id'>]?: InvoiceSettings[Key] | undefined }

export class SellerSettings extends SellerSettingsSchema.class {
  /** Applies the keys that are present; null restores the default. */
  change(change: SettingsChange): void {
    if (change.legal_name !== undefined) this.legalName = change.legal_name
    if (change.address !== undefined) this.address = change.address
    if (change.tax_id !== undefined) this.taxId = change.tax_id
    if (change.logo !== undefined) this.logo = change.logo
    if (change.footer !== undefined) this.footer = change.footer
    if (change.locale !== undefined) this.locale = change.locale
    if (change.paper !== undefined) this.paper = change.paper
    const { invoicePrefix, creditNotePrefix } = this
    if (change.invoice_prefix !== undefined) this.invoicePrefix = change.invoice_prefix
    if (change.credit_note_prefix !== undefined) this.creditNotePrefix = change.credit_note_prefix
    // Prefixes of earlier releases stay until they are changed.
    if (this.invoicePrefix !== invoicePrefix) this.assertNotReserved()
    if (this.invoicePrefix !== invoicePrefix || this.creditNotePrefix !== creditNotePrefix) this.assertDistinctPrefixes()
    this.yearly = change.yearly ?? this.yearly
    this.padding = change.padding ?? this.padding
    this.electronic = change.electronic ?? this.electronic
    this.assertNumberLength()
  }

  /** Number format of documents. Requires the prefix, which the first invoice sets if the seller chose none. */
  numbering(): Numbering {
    return {
      invoicePrefix: this.invoicePrefix ?? '',
      creditNotePrefix: this.creditNotePrefix ?? null,
      yearly: this.yearly,
      padding: this.padding,
    }
  }

  private assertNotReserved(): void {
    if (!this.invoicePrefix || !isReservedForCreditNotes(this.invoicePrefix)) return
    throw RequestValidationError.field(['invoice_prefix'], 'Must not begin with CN, which begins the numbers of credit notes.')
  }

  private assertDistinctPrefixes(): void {
    const { invoicePrefix, creditNotePrefix } = this
    if (invoicePrefix && creditNotePrefix && canCollide(invoicePrefix, creditNotePrefix)) {
      throw RequestValidationError.field(['credit_note_prefix'], 'Must differ from the prefix of invoices, also without a year.')
    }
  }

  private assertNumberLength(): void {
    const { invoicePrefix, creditNotePrefix } = this
    for (const [field, prefix] of Object.entries({ invoice_prefix: invoicePrefix, credit_note_prefix: creditNotePrefix })) {
      if (prefix && formatLongestNumber(prefix, this) > maxNumberLength) {
        throw RequestValidationError.field([field], 'A number with year and padding must not be longer than 16 characters.')
      }
    }
  }
}
SellerSettingsSchema.setClass(SellerSettings)

/** Settings of a seller without any. */
export const defaultSettings = {
  legalName: null,
  address: null,
  taxId: null,
  logo: null,
  footer: null,
  locale: null,
  paper: null,
  invoicePrefix: null,
  creditNotePrefix: null,
  yearly: false,
  padding: 4,
  electronic: false,
}
