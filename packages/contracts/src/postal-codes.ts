import type { Address } from './address.ts'
import { findSubdivisions } from './countries.ts'

/**
 * Countries and territories (ISO 3166-1) whose addresses have no postal code, according to the formats of Google's address data service,
 * the source of libaddressinput. Codes that are not assigned to a country are not included.
 */
const withoutPostalCodes = new Set(
  `AE AG AO AQ AW BF BI BJ BO BQ BS BV BW BZ CD CF CG CI CK CM CW DJ DM ER FJ GA GD GH GM GQ GY HK JM KI KM KN LC LY ML MO MR MS
    NR NU PS QA RW SB SC SL SR SS ST SX SY TD TF TG TK TL TO TT TV UG VU WS YE ZW`.split(/\s+/),
)

/** Whether an address lacks a postal code although its country has postal codes. */
export function isMissingPostalCode({ country, postal_code }: Address): boolean {
  return postal_code === null && !withoutPostalCodes.has(country)
}

/** Returns the names of the parts that an address on a permanent document lacks: a postal code or a state where the country has them. */
export function findMissingAddressParts(address: Address): ('postal_code' | 'state')[] {
  const isStateMissing = address.state === null && findSubdivisions(address.country) !== null
  return [...(isMissingPostalCode(address) ? (['postal_code'] as const) : []), ...(isStateMissing ? (['state'] as const) : [])]
}
