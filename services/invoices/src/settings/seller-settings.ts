import { defineEntity, p } from '@mikro-orm/core'
import type { Address } from '@quittance/contracts/address'
import { RequestValidationError } from '@quittance/contracts/errors'
import type { InvoiceSettings } from '@quittance/contracts/invoice-settings'
import { organizationFilter } from '@quittance/runtime/database'
import { aggregate } from '@quittance/runtime/entity'
import { longestNumber, maxNumberLength, type Numbering } from '../series/number-format.ts'

/** What documents say of an organization, and how they are numbered. */
export const SellerSettingsSchema = defineEntity({
  name: 'SellerSettings',
  tableName: 'invoice_settings',
  properties: {
    ...aggregate,
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
  /** Applies the keys that are present; null goes back to what is usual. */
  change(change: SettingsChange): void {
    if (change.legal_name !== undefined) this.legalName = change.legal_name
    if (change.address !== undefined) this.address = change.address
    if (change.tax_id !== undefined) this.taxId = change.tax_id
    if (change.logo !== undefined) this.logo = change.logo
    if (change.footer !== undefined) this.footer = change.footer
    if (change.locale !== undefined) this.locale = change.locale
    if (change.paper !== undefined) this.paper = change.paper
    if (change.invoice_prefix !== undefined) this.invoicePrefix = change.invoice_prefix
    if (change.credit_note_prefix !== undefined) this.creditNotePrefix = change.credit_note_prefix
    this.yearly = change.yearly ?? this.yearly
    this.padding = change.padding ?? this.padding
    this.electronic = change.electronic ?? this.electronic
    this.refuseLongNumbers()
  }

  /** How documents are numbered; needs the prefix, which the first invoice gives where nobody chose one. */
  numbering(): Numbering {
    return {
      invoicePrefix: this.invoicePrefix ?? '',
      creditNotePrefix: this.creditNotePrefix ?? null,
      yearly: this.yearly,
      padding: this.padding,
    }
  }

  private refuseLongNumbers(): void {
    const { invoicePrefix, creditNotePrefix } = this
    if (invoicePrefix && invoicePrefix === creditNotePrefix) {
      throw RequestValidationError.field(['credit_note_prefix'], 'Must differ from the prefix of invoices.')
    }
    for (const [field, prefix] of Object.entries({ invoice_prefix: invoicePrefix, credit_note_prefix: creditNotePrefix })) {
      if (prefix && longestNumber(prefix, this) > maxNumberLength) {
        throw RequestValidationError.field([field], 'With year and padding a number must not be longer than 16 characters.')
      }
    }
  }
}
SellerSettingsSchema.setClass(SellerSettings)

/** What a seller has who never said anything. */
export const usualSettings = {
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
