import type { Invoice } from '@e-invoice-eu/core'
import { currencyDigits } from '@quittance/contracts/money'

export type CurrencyCode = Invoice['ubl:Invoice']['cbc:DocumentCurrencyCode']

/** EN 16931 caps every amount of a document at two digits after the point. */
export const mostDigits = 2

/** Minor units as XML writes an amount: a point, no separators, the digits of the currency. Exact for every integer. */
export function amountText(minorUnits: number, currency: string): string {
  const digits = currencyDigits(currency)
  const figures = String(Math.abs(minorUnits)).padStart(digits + 1, '0')
  const point = figures.length - digits
  return `${minorUnits < 0 ? '-' : ''}${figures.slice(0, point)}${digits ? '.' : ''}${figures.slice(point)}`
}
