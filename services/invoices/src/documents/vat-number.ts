import { isInEuropeanUnion } from '@quittance/contracts/countries'

/**
 * Returns the tax ID as a VAT number (BT-31, BT-48) without punctuation, or null if it is of another type. BR-CO-09: a VAT number starts
 * with its country code; Greece uses `EL`. It may belong to another member state than the address.
 */
export function vatNumber(taxId: string, country: string): string | null {
  const number = taxId.toUpperCase().replaceAll(/[^0-9A-Z+*]/g, '')
  const prefix = number.slice(0, 2)
  const isVat = prefix === country || isInEuropeanUnion(prefix) || prefix === 'EL' || prefix === 'XI'
  return isVat && /^[A-Z]{2}[0-9A-Z+*]{2,14}$/.test(number) && /\d/.test(number) ? number : null
}
