import type { Address } from '@quittance/contracts/address'
import { isMissingPostalCode } from '@quittance/contracts/postal-codes'

/** Countries and territories of ISO 3166-1 with a postal address. */
export const countryCodes: readonly string[] = `AD AE AF AG AI AL AM AO AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS
  BT BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE
  GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA
  LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM
  PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH
  TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW`.split(/\s+/)

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

const states: Readonly<Record<string, string>> = {
  US: `AL Alabama|AK Alaska|AZ Arizona|AR Arkansas|CA California|CO Colorado|CT Connecticut|DE Delaware|DC District of Columbia|FL Florida|GA Georgia|HI Hawaii|ID Idaho|IL Illinois|IN Indiana|IA Iowa|KS Kansas|KY Kentucky|LA Louisiana|ME Maine|MD Maryland|MA Massachusetts|MI Michigan|MN Minnesota|MS Mississippi|MO Missouri|MT Montana|NE Nebraska|NV Nevada|NH New Hampshire|NJ New Jersey|NM New Mexico|NY New York|NC North Carolina|ND North Dakota|OH Ohio|OK Oklahoma|OR Oregon|PA Pennsylvania|RI Rhode Island|SC South Carolina|SD South Dakota|TN Tennessee|TX Texas|UT Utah|VT Vermont|VA Virginia|WA Washington|WV West Virginia|WI Wisconsin|WY Wyoming`,
  CA: `AB Alberta|BC British Columbia|MB Manitoba|NB New Brunswick|NL Newfoundland and Labrador|NS Nova Scotia|ON Ontario|PE Prince Edward Island|QC Quebec|SK Saskatchewan`,
}

/** Returns the states or provinces whose tax differs, as ISO 3166-2 codes; none for other countries. */
export function listStates(country: string | null): readonly { value: string; label: string }[] {
  if (!country || !Object.hasOwn(states, country)) return []
  return (states[country] as string).split('|').map((entry) => ({ value: `${country}-${entry.slice(0, 2)}`, label: entry.slice(3) }))
}
