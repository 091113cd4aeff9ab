import type { Address } from './address.ts'

/**
 * Countries and territories (ISO 3166-1) whose addresses have no postal code, by the formats of Google's address data service, the source
 * of libaddressinput. A code that is not assigned to a country is not among them.
 */
const withoutPostalCodes = new Set(
  `AE AG AO AQ AW BF BI BJ BO BQ BS BV BW BZ CD CF CG CI CK CM CW DJ DM ER FJ GA GD GH GM GQ GY HK JM KI KM KN LC LY ML MO MR MS
    NR NU PS QA RW SB SC SL SR SS ST SX SY TD TF TG TK TL TO TT TV UG VU WS YE ZW`.split(/\s+/),
)

/** Whether the address is of a country that has postal codes, and says none. */
export function lacksPostalCode({ country, postal_code }: Address): boolean {
  return postal_code === null && !withoutPostalCodes.has(country)
}
