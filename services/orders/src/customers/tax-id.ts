import { RequestValidationError } from '@quittance/contracts/errors'
import { taxIdFormats, type TaxId } from '@quittance/contracts/tax-id'
import { euVat, stdnum, type Validator } from 'stdnum'

const europeanUnion = new Set('AT BE BG CY CZ DE DK EE EL ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' '))

/** Rules by format, as `country.rule` of the library. Formats that are not here have no public rule, and only their letters are checked. */
const rules: Readonly<Record<string, string>> = {
  ...{ ad_nrt: 'AD.nrt', ar_cuit: 'AR.cuit', au_abn: 'AU.abn', bg_uic: 'BG.vat', br_cnpj: 'BR.cnpj', br_cpf: 'BR.cpf', ca_bn: 'CA.bn' },
  ...{ ca_gst_hst: 'CA.gst', ca_qst: 'CA.qst', ch_uid: 'CH.uid', ch_vat: 'CH.vat', cl_tin: 'CL.rut', cn_tin: 'CN.uscc', co_nit: 'CO.nit' },
  ...{ cr_tin: 'CR.cpj', de_stn: 'DE.stnr', do_rcn: 'DO.rnc', ec_ruc: 'EC.ruc', eg_tin: 'EG.tn', es_cif: 'ES.cif', gb_vat: 'GB.vat' },
  ...{ hr_oib: 'HR.oib', hu_tin: 'HU.anum', id_npwp: 'ID.npwp', il_vat: 'IL.hp', in_gst: 'IN.gstin', is_vat: 'IS.vsk', jp_cn: 'JP.cn' },
  ...{ ke_pin: 'KE.pin', kr_brn: 'KR.brn', mx_rfc: 'MX.rfc', no_vat: 'NO.mva', nz_gst: 'NZ.ird', pe_ruc: 'PE.ruc', ro_tin: 'RO.cui' },
  ...{ rs_pib: 'RS.pib', ru_inn: 'RU.inn', sg_uen: 'SG.uen', si_tin: 'SI.ddv', sv_nit: 'SV.nit', th_vat: 'TH.tin', tr_tin: 'TR.vkn' },
  ...{ tw_vat: 'TW.ubn', us_ein: 'US.ein', uy_ruc: 'UY.rut', ve_rif: 'VE.rif', vn_tin: 'VN.mst', za_vat: 'ZA.vat' },
}

const invalid = 'Must be a valid tax ID of the country of the billing address.'

/** Numbers that persons have too. */
const personal = new Set(['br_cpf', 'de_stn', 'ru_inn', 'mx_rfc'])

/**
 * A tax id as it is kept, from a number alone: its format is the first of the country's whose rule the number keeps. Throws
 * `RequestValidationError` on `field` for a number whose check digits or letters are wrong.
 */
export function taxIdOf(number: string, { country, field }: { country: string | null; field: string }): TaxId {
  if (!country) throw refusal(field, 'A billing address is needed to tell which country the tax ID is of.')
  const taxId = readTaxId(number, country)
  if (typeof taxId === 'string') throw refusal(field, taxId)
  return taxId
}

/** Whether `taxIdOf` would take it. */
export function isTaxIdOf(number: string, country: string): boolean {
  return typeof readTaxId(number, country) !== 'string'
}

/** The tax id, or why it is none. */
function readTaxId(number: string, country: string): TaxId | string {
  const digits = compact(number)
  if (europeanUnion.has(country)) return readEuropean(digits, country)
  const formats = taxIdFormats.filter((each) => each.startsWith(`${country.toLowerCase()}_`))
  if (formats.length === 0) return 'Tax IDs of this country are not known.'
  return formats.map((format): TaxId => [digits, format]).find(isValid) ?? invalid
}

/** European numbers begin with their country, which for Greece is EL. */
function readEuropean(digits: string, country: string): TaxId | string {
  const prefix = country === 'GR' ? 'EL' : country
  const prefixed: TaxId = [digits.startsWith(prefix) ? digits : prefix + digits, 'eu_vat']
  if (isValid(prefixed)) return prefixed
  return /^[A-Z]{2}/.test(digits) && !digits.startsWith(prefix) ? 'The tax ID is of another country than the billing address.' : invalid
}

/** A tax id as a seller sends it, checked. Throws `RequestValidationError` on `field`. */
export function checkedTaxId([number, format]: TaxId, field: string): TaxId {
  const taxId: TaxId = [compact(number), format]
  if (!isValid(taxId)) throw refusal(field, `Must be a valid tax ID of the format ${format}.`)
  return taxId
}

/** Whether a buyer with this tax id is a business: a number with check digits, that only businesses have. */
export function provesBusiness(taxId: TaxId): boolean {
  return ruleOf(taxId) !== undefined && !personal.has(taxId[1]) && isValid(taxId)
}

function isValid(taxId: TaxId): boolean {
  const [number, format] = taxId
  if (!/^[A-Z0-9]{4,20}$/.test(number)) return false
  const validators = ruleOf(taxId)
  if (validators) return validators.some((validator) => validator.validate(number).isValid)
  // European numbers of a country that is none are of no country.
  return format !== 'eu_vat'
}

function ruleOf([number, format]: TaxId): readonly Validator[] | undefined {
  const prefix = number.slice(0, 2)
  if (format === 'eu_vat') return europeanUnion.has(prefix) ? euVat[prefix === 'EL' ? 'GR' : prefix] : undefined
  const [country, rule] = rules[format]?.split('.') ?? []
  const validator = country && rule ? stdnum[country]?.[rule] : undefined
  return validator && [validator]
}

function compact(number: string): string {
  return number.toUpperCase().replaceAll(/[\s./-]/g, '')
}

function refusal(field: string, msg: string): RequestValidationError {
  return RequestValidationError.field([field], msg)
}
