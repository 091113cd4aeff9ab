import type { Address } from '@quittance/contracts/address'
import { subdivisionName } from './subdivision-names.ts'

// Universal Postal Union addressing: in these countries the postal code stands before the town.
const postalCodeFirst = new Set(
  `AD AL AM AR AT AX AZ BA BE BG BL CH CL CU CV CY CZ DE DK DO DZ EE EH ES ET FI FO FR GE GF GL GN GP GR GT GW HR HT HU IS
    IT KW LA LI LT LU MA MC MD ME MF MG MK MQ MX MZ NC NE NL NO PL PM PT PY RE RO RS SE SI SK SM SN TJ TN TR UY VA WF YT
    ZM`.split(/\s+/),
)

/** The postal code has a line of its own below the town. */
const postalCodeBelow = new Set(['GB', 'IE', 'GG', 'IM', 'JE'])

/** From the large to the small, in the country's own script. */
const largestFirst = new Set(['CN', 'JP', 'KR', 'TW'])

/** The address as it is written on an envelope, one line each. What is absent leaves neither an empty line nor a stray comma. */
export function addressLines(address: Address, language: string): string[] {
  return [...linesOfPlace(address), countryName(address.country, language)].filter((line) => line !== null && line !== '') as string[]
}

function linesOfPlace(address: Address): (string | null)[] {
  const { line1, line2, postal_code: postalCode, city, country } = address
  if (country === 'JP') return [postalCode && `〒${postalCode.replace(/^〒\s*/, '')}`, ...eastAsianLines(address)]
  if (largestFirst.has(country) && isEastAsian(address))
    return country === 'KR' ? [...eastAsianLines(address), postalCode] : [postalCode, ...eastAsianLines(address)]
  if (postalCodeBelow.has(country)) return [line1, line2, joined([city, stateName(address)], ', '), postalCode]
  return [line1, line2, townLine(address)]
}

/** In Latin letters such an address reads from the small to the large, as elsewhere. */
function eastAsianLines(address: Address): (string | null)[] {
  const { line1, line2, city, state, country } = address
  if (!isEastAsian(address)) return [line1, line2, joined([city, state], ', ')]
  return [joined([state, city], country === 'KR' ? ' ' : ''), line1, line2]
}

function isEastAsian({ line1, city, state }: Address): boolean {
  return /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(joined([line1, city, state], ''))
}

function townLine(address: Address): string {
  const { city, postal_code: postalCode, country } = address
  if (postalCodeFirst.has(country)) return joined([joined([postalCode, city], ' '), stateName(address)], ', ')
  return joined([city, joined([stateName(address), postalCode], ' ')], ', ')
}

function stateName({ state }: Address): string | null {
  return state && subdivisionName(state)
}

function joined(parts: readonly (string | null)[], separator: string): string {
  return parts.filter(Boolean).join(separator)
}

function countryName(country: string, language: string): string {
  if (!/^[A-Z]{2}$/.test(country)) return country
  return new Intl.DisplayNames([language], { type: 'region' }).of(country) ?? country
}
