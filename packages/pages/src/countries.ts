import type { Address } from '@quittance/contracts/address'
import { countries, findSubdivisions } from '@quittance/contracts/countries'
import { isMissingPostalCode } from '@quittance/contracts/postal-codes'

/** Territories without inhabitants who could have a postal address. */
const uninhabited = new Set(['AQ', 'BV', 'HM'])

/** Countries and territories with a postal address. */
export const countryCodes: readonly string[] = [...countries].filter((code) => !uninhabited.has(code))

const known = new Set(countryCodes)

/** Members of the EU and the EEA, whose law prescribes the words of the order button (Directive 2011/83/EU, Art. 8(2)). */
const europeanEconomicArea = new Set('AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IS IT LI LT LU LV MT NL NO PL PT RO SE SI SK'.split(' '))

/** Whether consumers in a country have the rights of EU directives. Unknown countries count as such: their words suit every buyer. */
export function isInEuropeanEconomicArea(country: string | null): boolean {
  return country === null || europeanEconomicArea.has(country)
}

/** Returns a country code in upper case; null for text that is none. */
export function parseCountry(text: string | null | undefined): string | null {
  const code = text?.toUpperCase() ?? ''
  return known.has(code) ? code : null
}

/** Whether addresses of a country have a postal code. */
export function hasPostalCodes(country: string): boolean {
  const address: Address = { country, postal_code: null, line1: null, line2: null, city: null, state: null }
  return isMissingPostalCode(address)
}

const lists = new Map<string, readonly { value: string; label: string }[]>()

/** Returns the countries named and sorted in a language. */
export function listCountries(language: string): readonly { value: string; label: string }[] {
  let list = lists.get(language)
  if (!list) {
    const names = new Intl.DisplayNames(language, { type: 'region' })
    const { compare } = new Intl.Collator(language)
    list = countryCodes.map((value) => ({ value, label: names.of(value) ?? value })).toSorted((a, b) => compare(a.label, b.label))
    lists.set(language, list)
  }
  return list
}

/** Returns the name of a country in a language. */
export function nameCountry(country: string, language: string): string {
  return listCountries(language).find(({ value }) => value === country)?.label ?? country
}

/** Returns the states or provinces whose tax differs, as ISO 3166-2 codes; none for other countries. */
export function listStates(country: string | null): readonly { value: string; label: string }[] {
  const subdivisions = country === null ? null : findSubdivisions(country)
  return Array.from(subdivisions ?? [], ([value, label]) => ({ value, label }))
}
