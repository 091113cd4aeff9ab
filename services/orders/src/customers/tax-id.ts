import { RequestValidationError } from '@quittance/contracts/errors'
import { taxIdFormats, type TaxId } from '@quittance/contracts/tax-id'

const europeanUnion = new Set('AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' '))

/**
 * A tax id as it is kept, from a number alone: its format follows from the country it is for. Checks the letters and the
 * country, not the check digits.
 */
export function taxIdOf(number: string, country: string | null): TaxId {
  if (!country) throw refusal('A billing address is needed to tell which country the tax ID is of.')
  const digits = number.toUpperCase().replaceAll(/[\s./-]/g, '')
  const format = europeanUnion.has(country) ? 'eu_vat' : taxIdFormats.find((each) => each.startsWith(`${country.toLowerCase()}_`))
  if (!format) throw refusal('Tax IDs of this country are not known.')
  if (!/^[A-Z0-9]{4,20}$/.test(digits)) throw refusal('Must be a tax ID: 4 to 20 letters and digits.')
  return [format === 'eu_vat' ? withPrefix(digits, country) : digits, format]
}

/** European numbers begin with their country, which for Greece is EL. */
function withPrefix(digits: string, country: string): string {
  const prefix = country === 'GR' ? 'EL' : country
  if (digits.startsWith(prefix)) return digits
  if (/^[A-Z]{2}/.test(digits)) throw refusal('The tax ID is of another country than the billing address.')
  return prefix + digits
}

function refusal(msg: string): RequestValidationError {
  return RequestValidationError.field(['tax_id'], msg)
}
