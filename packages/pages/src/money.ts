import { currencyDigits, toDecimal } from '@quittance/contracts/money'

const formats = new Map<string, Intl.NumberFormat>()

/** Formats an amount in minor units with the digits of ISO 4217. Latin digits in every language, as in the fields where sums are typed. */
export function formatMoney(amount: number, { currency, locale }: MoneyFormat): string {
  const key = `${locale} ${currency}`
  let format = formats.get(key)
  if (!format) {
    const digits = currencyDigits(currency)
    const fraction = { minimumFractionDigits: digits, maximumFractionDigits: digits }
    format = new Intl.NumberFormat(locale, { numberingSystem: 'latn', style: 'currency', currency, ...fraction })
    formats.set(key, format)
  }
  const text = format.format(toDecimal(amount, currency))
  // Isolated, so that text from right to left does not tear the sign of the currency from its place.
  return /^(ar|he)\b/.test(locale) ? `\u2066${text}\u2069` : text
}

export interface MoneyFormat {
  currency: string
  /** BCP 47. */
  locale: string
}

/** Returns an amount as a buyer would type it: with the decimal separator of the language and without currency. */
export function formatTypedMoney(amount: number, { currency, locale }: MoneyFormat): string {
  return toDecimal(amount, currency).replace('.', separators(locale).decimal)
}

/**
 * Reads a typed sum as minor units. Null for text that is no sum, and for text with two readings: `1.000` is a thousand in German, and in
 * English it has one digit too many.
 */
export function parseMoney(text: string, { currency, locale }: MoneyFormat): number | null {
  const digits = currencyDigits(currency)
  const plain = toLatinDigits(text)
    .replaceAll(/[\s\u00a0\u202f'’_]|\p{Sc}|\p{Cf}/gu, '')
    .replaceAll('٫', '.')
    .replaceAll('٬', ',')
  if (!/^\d[\d.,]*$/.test(plain) || plain.length > 20) return null
  const decimal = findDecimalSeparator(plain, { digits, locale })
  if (decimal === undefined) return null
  const [whole = '', fraction = '', ...more] = decimal ? plain.split(decimal) : [plain]
  if (more.length > 0 || fraction.length > digits || !/^\d*$/.test(fraction)) return null
  if (!/^(\d+|\d{1,3}([.,])\d{3}(\2\d{3})*)$/.test(whole)) return null
  const amount = Number(whole.replaceAll(/\D/g, '') + fraction.padEnd(digits, '0'))
  return Number.isSafeInteger(amount) ? amount : null
}

/** Returns the decimal separator of a typed sum, null if it has none, undefined if there are two readings. */
function findDecimalSeparator(plain: string, { digits, locale }: { digits: number; locale: string }): '.' | ',' | null | undefined {
  const last = /[.,](?=\d*$)/.exec(plain)
  if (!last) return null
  const separator = last[0] as '.' | ','
  const after = plain.length - last.index - 1
  const isOnly = plain.indexOf(separator) === last.index
  const other = separator === '.' ? ',' : '.'
  if (plain.includes(other)) return isOnly ? separator : undefined
  if (!isOnly) return null
  if (after !== 3) return separator
  const isDecimal = separators(locale).decimal === separator
  if (isDecimal) return digits === 3 ? separator : undefined
  return digits === 3 ? undefined : null
}

function separators(locale: string): { decimal: string } {
  const parts = new Intl.NumberFormat(locale, { numberingSystem: 'latn' }).formatToParts(1.5)
  return { decimal: parts.find(({ type }) => type === 'decimal')?.value ?? '.' }
}

/** Arabic-Indic digits are typed on Arabic keyboards. */
function toLatinDigits(text: string): string {
  return text.replaceAll(/[٠-٩۰-۹]/g, (digit) => String((digit.codePointAt(0) as number) & 15)).normalize('NFKC')
}
