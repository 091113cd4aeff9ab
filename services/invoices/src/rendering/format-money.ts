import { currencyDigits, toDecimal } from '@quittance/contracts/money'

/** Formats integer minor units for display. Exact for every integer: the value is never converted to a binary fraction. */
export type MoneyFormat = (amount: number | bigint) => string

/** Creates a format for an ISO 4217 currency (upper or lower case). The number of digits is that of the standard, not the default of `Intl`. */
export function moneyFormat(currency: string, locale: string): MoneyFormat {
  const digits = currencyDigits(currency)
  const format = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
  return (amount) => format.format(toDecimal(amount, currency))
}
