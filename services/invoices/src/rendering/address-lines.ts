import type { Address } from '@quittance/contracts/address'
import { findSubdivisions } from '@quittance/contracts/countries'

// Universal Postal Union addressing: in these countries the postal code precedes the town.
const postalCodeFirst = new Set(
  `AD AL AM AR AT AX AZ BA BE BG BL CH CL CU CV CY CZ DE DK DO DZ EE EH ES ET FI FO FR GE GF GL GN GP GR GT GW HR HT HU IS
    IT KW LA LI LT LU MA MC MD ME MF MG MK MQ MX MZ NC NE NL NO PL PM PT PY RE RO RS SE SI SK SM SN TJ TN TR UY VA WF YT
    ZM`.split(/\s+/),
)

/** The postal code is on a separate line below the town. */
const postalCodeBelow = new Set(['GB', 'IE', 'GG', 'IM', 'JE'])

/** Addresses are written from region to street if they are in the country's own script. */
const generalToSpecific = new Set(['CN', 'JP', 'KR', 'TW'])

/** Returns the lines of an address as on an envelope. Missing parts leave neither an empty line nor a stray comma. */
export function addressLines(address: Address, countryName: CountryNames): string[] {
  return [...buildPlaceLines(address), countryName(address.country)].filter((line) => line !== null && line !== '') as string[]
}

function buildPlaceLines(address: Address): (string | null)[] {
  const { line1, line2, postal_code: postalCode, city, country } = address
  if (country === 'JP') return [postalCode && `〒${postalCode.replace(/^〒\s*/, '')}`, ...eastAsianLines(address)]
  if (generalToSpecific.has(country) && isEastAsian(address))
    return country === 'KR' ? [...eastAsianLines(address), postalCode] : [postalCode, ...eastAsianLines(address)]
  if (postalCodeBelow.has(country)) return [line1, line2, joinParts([city, stateName(address)], ', '), postalCode]
  return [line1, line2, townLine(address)]
}

/** An address in Latin script is written from street to region, as in other countries. */
function eastAsianLines(address: Address): (string | null)[] {
  const { line1, line2, city, state, country } = address
  if (!isEastAsian(address)) return [line1, line2, joinParts([city, state], ', ')]
  return [joinParts([state, city], country === 'KR' ? ' ' : ''), line1, line2]
}

function isEastAsian({ line1, city, state }: Address): boolean {
  return /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(joinParts([line1, city, state], ''))
}

function townLine(address: Address): string {
  const { city, postal_code: postalCode, country } = address
  if (postalCodeFirst.has(country)) return joinParts([joinParts([postalCode, city], ' '), stateName(address)], ', ')
  return joinParts([city, joinParts([stateName(address), postalCode], ' ')], ', ')
}

/** Returns the name of a subdivision that is stored as a code: `US-CA` → `California`. */
function stateName({ state, country }: Address): string | null {
  return (state && findSubdivisions(country)?.get(state)) ?? state
}

/** Arabic text has an Arabic comma. */
function joinParts(parts: readonly (string | null)[], separator: string): string {
  const present = parts.filter(Boolean)
  const isArabic = separator === ', ' && present.some((part) => /\p{Script=Arabic}/u.test(part ?? ''))
  return present.join(isArabic ? '، ' : separator)
}

/** Returns the name of a country by its ISO 3166-1 code; other text is returned unchanged. */
export type CountryNames = (country: string) => string

/** Creates the names of countries in a language. */
export function countryNames(language: string): CountryNames {
  const names = new Intl.DisplayNames([language], { type: 'region' })
  return (country) => (/^[A-Z]{2}$/.test(country) ? (names.of(country) ?? country) : country)
}
