import { isInEuropeanUnion } from '@quittance/contracts/countries'
import type { SellerSettings } from './seller-settings.ts'

export interface MissingSellerDetails {
  /** Names of settings that every invoice needs. */
  always: string[]
  /** Names of settings that only an invoice with tax needs. */
  whenTaxed: string[]
}

/** Countries whose tax invoices name the address of the seller, and the registration if they charge tax. */
const registered = new Set('AE AU CH GB IN IS LI NO SA SG TR ZA'.split(' '))

type Seller = Pick<SellerSettings, 'address' | 'taxId'>

/**
 * Returns what the law of the seller's country demands on invoices and the settings lack; nothing for a seller without a country. In the
 * European Union, Directive 2006/112/EC, Art. 226 (3) and (5), demands address and number on every invoice.
 */
export function findMissingSellerDetails({ address, taxId }: Seller): MissingSellerDetails {
  const country = address?.country ?? null
  if (!address || country === null || !(isInEuropeanUnion(country) || registered.has(country))) return { always: [], whenTaxed: [] }
  const parts = (['line1', 'city'] as const).filter((part) => address[part] === null).map((part) => `address.${part}`)
  const id = taxId ? [] : ['tax_id']
  return isInEuropeanUnion(country) ? { always: [...parts, ...id], whenTaxed: [] } : { always: parts, whenTaxed: id }
}

/** Returns the warnings about incomplete settings, as sentences for the seller. */
export function describeMissingDetails(
  settings: Seller & Pick<SellerSettings, 'contactEmail' | 'contactName' | 'contactPhone' | 'electronic' | 'electronicProfile'>,
): string[] {
  const { address, electronic, electronicProfile } = settings
  if (!address) return ['Your country is not known: set your address, and your tax ID if you have one. Most laws demand them on invoices.']
  const { always, whenTaxed } = findMissingSellerDetails(settings)
  const contact = (['contactName', 'contactEmail', 'contactPhone'] as const).some((part) => !settings[part])
  return [
    ...(always.length > 0 ? [`Invoices are not issued until these settings are complete: ${always.join(', ')}.`] : []),
    ...(whenTaxed.length > 0 ? [`Invoices with tax are not issued until these settings are complete: ${whenTaxed.join(', ')}.`] : []),
    ...(electronic && electronicProfile === 'xrechnung' && contact
      ? ['XRechnung requires contact_name, contact_email and contact_phone.']
      : []),
  ]
}
