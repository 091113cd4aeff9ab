import { isInEuropeanUnion } from './country-code.ts'

/**
 * The tax id as a VAT number (BT-31, BT-48), null where it is of another kind. BR-CO-09: a VAT number begins with its country, and Greece
 * writes EL. It may be of another member state than that of the address. Punctuation is left out.
 */
export function vatNumber(taxId: string, country: string): string | null {
  const number = taxId.toUpperCase().replaceAll(/[^0-9A-Z+*]/g, '')
  const prefix = number.slice(0, 2)
  const isVat = prefix === country || isInEuropeanUnion(prefix) || prefix === 'EL' || prefix === 'XI'
  return isVat && /^[A-Z]{2}[0-9A-Z+*]{2,14}$/.test(number) && /\d/.test(number) ? number : null
}
