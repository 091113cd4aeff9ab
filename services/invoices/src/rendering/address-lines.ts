import type { Address } from '@quittance/contracts/address'
import { subdivisionName } from './subdivision-names.ts'

// Universal Postal Union addressing: in these countries the postal code stands before the town.
const postalCodeFirst = new Set(
  `AD AL AM AR AT AX AZ BA BE BG BL CH CL CU CV CY CZ DE DK DO DZ EE EH ES ET FI FO FR GE GF GL GN GP GR GT GW HR HT HU IS
    IT KW LA LI LT LU MA MC MD ME MF MG MK MQ MX MZ NC NE NL NO PL PM PT PY RE RO RS SE SI SK SM SN TJ TN TR UY VA WF YT
    ZM`.split(/\s+/),
)

/** The address as it is written on an envelope, one line each. What is absent leaves neither an empty line nor a stray comma. */
export function addressLines(address: Address, language: string): string[] {
  return [address.line1, address.line2, townLine(address), countryName(address.country, language)].filter(
    (line) => line !== null && line !== '',
  ) as string[]
}

function townLine({ city, state, postal_code: postalCode, country }: Address): string {
  const stateName = state && subdivisionName(state)
  if (postalCodeFirst.has(country)) return joined([joined([postalCode, city], ' '), stateName], ', ')
  return joined([city, joined([stateName, postalCode], ' ')], ', ')
}

function joined(parts: readonly (string | null)[], separator: string): string {
  return parts.filter(Boolean).join(separator)
}

function countryName(country: string, language: string): string {
  if (!/^[A-Z]{2}$/.test(country)) return country
  return new Intl.DisplayNames([language], { type: 'region' }).of(country) ?? country
}
