import { RequestValidationError } from '@quittance/contracts/errors'
import { taxIdFormats, type TaxId } from '@quittance/contracts/tax-id'
import { euVat, stdnum, type Validator } from 'stdnum'
import { taxIdRules } from './tax-id-rules.ts'

const europeanUnion = new Set('AT BE BG CY CZ DE DK EE EL ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' '))

const invalid = 'Must be a valid tax ID of the country of the billing address.'

/** Numbers that natural persons have too. */
const personal = new Set(['br_cpf', 'de_stn', 'ru_inn', 'mx_rfc'])

/**
 * Parses a tax id from a bare number: its format is the first one of the country whose rule the number satisfies. Throws
 * `RequestValidationError` on `field` if check digits or characters are wrong.
 */
export function parseTaxId(number: string, { country, field }: { country: string | null; field: string }): TaxId {
  if (!country) throw createTaxIdError(field, 'A billing address is required to determine the country of the tax ID.')
  const taxId = readTaxId(number, country)
  if (typeof taxId === 'string') throw createTaxIdError(field, taxId)
  return taxId
}

/** Returns whether `parseTaxId` accepts the number. */
export function isTaxIdOfCountry(number: string, country: string): boolean {
  return typeof readTaxId(number, country) !== 'string'
}

/** Returns the tax id, or the reason why it is invalid. */
function readTaxId(number: string, country: string): TaxId | string {
  const digits = compact(number)
  if (europeanUnion.has(country)) return readEuropean(digits, country)
  const formats = taxIdFormats.filter((each) => each.startsWith(`${country.toLowerCase()}_`))
  if (formats.length === 0) return 'Tax IDs of this country are not supported.'
  return formats.map((format): TaxId => [digits, format]).find(isValid) ?? invalid
}

/** EU VAT numbers start with the country code, which for Greece is EL. */
function readEuropean(digits: string, country: string): TaxId | string {
  const prefix = country === 'GR' ? 'EL' : country
  const prefixed: TaxId = [digits.startsWith(prefix) ? digits : prefix + digits, 'eu_vat']
  if (isValid(prefixed)) return prefixed
  return /^[A-Z]{2}/.test(digits) && !digits.startsWith(prefix)
    ? 'The tax ID belongs to another country than the billing address.'
    : invalid
}

/** Validates a tax id sent by a seller. Throws `RequestValidationError` on `field`. */
export function validateTaxId([number, format]: TaxId, field: string): TaxId {
  const taxId: TaxId = [compact(number), format]
  if (!isValid(taxId)) throw createTaxIdError(field, `Must be a valid tax ID of the format ${format}.`)
  return taxId
}

/** Returns whether the tax id identifies a business: a number with check digits that only businesses have. */
export function isBusinessTaxId(taxId: TaxId): boolean {
  return findValidators(taxId) !== undefined && !personal.has(taxId[1]) && isValid(taxId)
}

function isValid(taxId: TaxId): boolean {
  const [number, format] = taxId
  if (!/^[A-Z0-9]{4,20}$/.test(number)) return false
  const validators = findValidators(taxId)
  if (validators) return validators.some((validator) => validator.validate(number).isValid)
  // An EU VAT number with an unknown country prefix is invalid.
  return format !== 'eu_vat'
}

function findValidators([number, format]: TaxId): readonly Validator[] | undefined {
  const prefix = number.slice(0, 2)
  if (format === 'eu_vat') return europeanUnion.has(prefix) ? euVat[prefix === 'EL' ? 'GR' : prefix] : undefined
  const [country, rule] = taxIdRules[format]?.split('.') ?? []
  const validator = country && rule ? stdnum[country]?.[rule] : undefined
  return validator && [validator]
}

function compact(number: string): string {
  return number.toUpperCase().replaceAll(/[\s./-]/g, '')
}

function createTaxIdError(field: string, msg: string): RequestValidationError {
  return RequestValidationError.field([field], msg)
}
