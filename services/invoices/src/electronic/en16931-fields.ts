import type { Invoice } from '@e-invoice-eu/core'
import { currencyDigits } from '@quittance/contracts/money'

export type CurrencyCode = Invoice['ubl:Invoice']['cbc:DocumentCurrencyCode']

/** EN 16931 limits every amount of a document to two decimal places. */
export const maxFractionDigits = 2

/** Formats minor units for XML: decimal point, no separators, the number of digits of the currency. Exact for every integer. */
export function formatAmount(minorUnits: number, currency: string): string {
  const digits = currencyDigits(currency)
  const figures = String(Math.abs(minorUnits)).padStart(digits + 1, '0')
  const point = figures.length - digits
  return `${minorUnits < 0 ? '-' : ''}${figures.slice(0, point)}${digits ? '.' : ''}${figures.slice(point)}`
}

/**
 * Returns the tax ID as a VAT number (BT-31, BT-48) without punctuation, or null if it is of another type. BR-CO-09: a VAT number starts
 * with its country code; Greece uses `EL`. It may belong to another member state than the address.
 */
export function vatNumber(taxId: string, country: string): string | null {
  const number = taxId.toUpperCase().replaceAll(/[^0-9A-Z+*]/g, '')
  const prefix = number.slice(0, 2)
  const isVat = prefix === country || isInEuropeanUnion(prefix) || prefix === 'EL' || prefix === 'XI'
  return isVat && /^[A-Z]{2}[0-9A-Z+*]{2,14}$/.test(number) && /\d/.test(number) ? number : null
}

// ISO 3166-1 alpha-2, the code list of EN 16931 for BT-40 and BT-55.
const countries = new Set(
  `AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL
    CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU
    GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC
    MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT
    PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA
    UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW`.split(/\s+/),
)

const europeanUnion = new Set('AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' '))

/** Returns the country code of the EN 16931 list, or null if the list does not contain it. Kosovo (`XK` elsewhere) is `1A` there. */
export function en16931CountryCode(country: string): string | null {
  if (country === 'XK') return '1A'
  return countries.has(country) ? country : null
}

export function isInEuropeanUnion(country: string): boolean {
  return europeanUnion.has(country)
}

/** Replaces characters that XML 1.0 cannot represent even when escaped: most control characters and lone surrogates. */
export function xmlText(text: string): string {
  return text.replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\u{FFFD}')
}

/** Returns a copy with every string mapped. */
export function mapText<T>(model: T, change: (text: string) => string): T {
  return JSON.parse(JSON.stringify(model, (_key, value: unknown) => (typeof value === 'string' ? change(value) : value))) as T
}
