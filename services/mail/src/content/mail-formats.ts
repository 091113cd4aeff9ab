import { currencyDigits } from '@quittance/contracts/money'

/** Formats of amounts, dates and rates in one language. */
export interface MailFormats {
  money(amount: number, currency: string): string
  date(time: string): string
  /** Date and time, in UTC. */
  moment(time: string): string
  percent(percentage: number): string
}

/** Creates the formats of a locale. Dates are those in UTC, of the Gregorian calendar. */
export function createFormats(locale: string): MailFormats {
  const dates = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC', calendar: 'gregory' })
  const moments = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC', calendar: 'gregory' })
  const rates = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 4 })
  return {
    money: (amount, currency) => formatMoney(locale, { amount, currency }),
    date: (time) => dates.format(new Date(time)),
    moment: (time) => `${moments.format(new Date(time))} UTC`,
    percent: (percentage) => rates.format(`${percentage}e-2` as Intl.StringNumericLiteral),
  }
}

/** Exact for every integer: the amount is never a binary fraction. The digits are those of ISO 4217. */
function formatMoney(locale: string, { amount, currency }: { amount: number; currency: string }): string {
  const digits = currencyDigits(currency)
  const figures = String(Math.abs(amount)).padStart(digits + 1, '0')
  const point = figures.length - digits
  const decimal = `${amount < 0 ? '-' : ''}${figures.slice(0, point)}${digits ? '.' : ''}${figures.slice(point)}`
  return new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(decimal as Intl.StringNumericLiteral)
}
