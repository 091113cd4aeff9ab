import { currencyDigits } from '@quittance/contracts/money'

/** Writes integer minor units as a person reads them. Exact for every integer: the value never passes through a fraction of a float. */
export type MoneyFormat = (amount: number | bigint) => string

/** For an ISO 4217 currency in any case, whose digits are those of the standard and not of the shops. */
export function moneyFormat(currency: string, locale: string): MoneyFormat {
  const digits = currencyDigits(currency)
  const format = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
  return (amount) => format.format(decimalText(BigInt(amount), digits))
}

function decimalText(minorUnits: bigint, digits: number): Intl.StringNumericLiteral {
  const sign = minorUnits < 0n ? '-' : ''
  const figures = (minorUnits < 0n ? -minorUnits : minorUnits).toString().padStart(digits + 1, '0')
  const point = figures.length - digits
  return `${sign}${figures.slice(0, point)}${digits ? '.' : ''}${figures.slice(point)}` as Intl.StringNumericLiteral
}
