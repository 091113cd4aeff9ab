import { isInEuropeanUnion } from '@quittance/contracts/countries'
import { defineEntity, p } from '@mikro-orm/core'
import type { Address } from '@quittance/contracts/address'
import { RequestValidationError } from '@quittance/contracts/errors'
import type { ElectronicProfile, InvoiceSettings } from '@quittance/contracts/invoice-settings'
import { organizationFilter } from '@quittance/runtime/database'
import { aggregateProperties } from '@quittance/runtime/schema'
import { isTaxIdOfCountry } from '@quittance/runtime/tax-id'
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
    electronicProfile: p.text().$type<ElectronicProfile>(),
    electronicAddress: p.text().nullable(),
    contactName: p.text().nullable(),
    contactEmail: p.text().nullable(),
    contactPhone: p.text().nullable(),
    /** IANA name; null: UTC. */
    timeZone: p.text().nullable(),
    taxExemption: p.text().nullable(),
  },
  filters: organizationFilter,
})

export type SettingsChange = { [Key in keyof Omit<InvoiceSettings, 'organization_id' | 'warnings'>]?: InvoiceSettings[Key] | undefined }

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
    const { invoicePrefix, creditNotePrefix, yearly, padding } = this
    if (change.invoice_prefix !== undefined) this.invoicePrefix = change.invoice_prefix
    if (change.credit_note_prefix !== undefined) this.creditNotePrefix = change.credit_note_prefix
    // Prefixes of earlier releases, and derived ones, stay until they are changed.
    if (this.invoicePrefix !== invoicePrefix) this.assertNotReserved()
    const isPrefixChanged = this.invoicePrefix !== invoicePrefix || this.creditNotePrefix !== creditNotePrefix
    if (isPrefixChanged) this.assertDistinctPrefixes()
    this.yearly = change.yearly ?? this.yearly
    this.padding = change.padding ?? this.padding
    this.electronic = change.electronic ?? this.electronic
    this.changeContact(change)
    if (isPrefixChanged || this.yearly !== yearly || this.padding !== padding) this.assertNumberLength()
  }

  private changeContact(change: SettingsChange): void {
    if (change.contact_name !== undefined) this.contactName = change.contact_name
    if (change.contact_email !== undefined) this.contactEmail = change.contact_email
    if (change.contact_phone !== undefined) this.contactPhone = change.contact_phone
    if (change.time_zone !== undefined) this.timeZone = change.time_zone
    if (change.tax_exemption !== undefined) this.taxExemption = change.tax_exemption
    if (change.electronic_address !== undefined) this.electronicAddress = change.electronic_address
    this.electronicProfile = change.electronic_profile ?? this.electronicProfile
    if (change.tax_id) assertVatNumber(change.tax_id)
  }

  /** Number format of documents. Requires the prefix, which the first invoice sets if the seller chose none. */
  numbering(): Numbering {
    return {
      invoicePrefix: this.invoicePrefix ?? '',
      creditNotePrefix: this.creditNotePrefix ?? null,
      yearly: this.yearly,
      padding: this.padding,
      timeZone: this.timeZone ?? 'UTC',
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

/** Checks the digits of what looks like a VAT number of the European Union; other tax IDs of sellers follow no common rule. */
function assertVatNumber(taxId: string): void {
  const number = taxId.toUpperCase().replaceAll(/[\s./-]/g, '')
  const country = number.startsWith('EL') ? 'GR' : number.slice(0, 2)
  if (!isInEuropeanUnion(country) || !/^[A-Z]{2}[0-9A-Z+*]*[0-9][0-9A-Z+*]*$/.test(number)) return
  if (!isTaxIdOfCountry(number, country)) throw RequestValidationError.field(['tax_id'], 'Must be a valid VAT number.')
}

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
  electronicProfile: 'en16931' as const,
  electronicAddress: null,
  contactName: null,
  contactEmail: null,
  contactPhone: null,
  timeZone: null,
  taxExemption: null,
}
