import { currencyDigits } from '@quittance/contracts/money'

export interface Money {
  /** Integer minor units. */
  amount: number | bigint
  /** ISO 4217, any case. */
  currency: string
}

/** An amount as a person reads it in that locale. Exact for every integer: the value never passes through a fraction of a float. */
export function formatMoney({ amount, currency }: Money, locale: string): string {
  const digits = currencyDigits(currency)
  const format = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
  return format.format(decimalText(BigInt(amount), digits))
}

function decimalText(minorUnits: bigint, digits: number): Intl.StringNumericLiteral {
  const sign = minorUnits < 0n ? '-' : ''
  const figures = (minorUnits < 0n ? -minorUnits : minorUnits).toString().padStart(digits + 1, '0')
  const point = figures.length - digits
  return `${sign}${figures.slice(0, point)}${digits ? '.' : ''}${figures.slice(point)}` as Intl.StringNumericLiteral
}
