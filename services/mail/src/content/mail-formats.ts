import { currencyDigits, toDecimal } from '@quittance/contracts/money'

/** Formats of amounts, dates and rates in one language. */
export interface MailFormats {
  money(amount: number, currency: string): string
  date(time: string): string
  /** Date and time, in UTC. */
  moment(time: string): string
  percent(percentage: number): string
}

/** Creating a formatter takes longer than using it. The locales are those that mails are written in, so there are few. */
const formatsByLocale = new Map<string, MailFormats>()
const maxCachedLocales = 50

/** Returns the formats of a locale. Dates are those in UTC, of the Gregorian calendar. */
export function findFormats(locale: string): MailFormats {
  const known = formatsByLocale.get(locale)
  if (known) return known
  if (formatsByLocale.size >= maxCachedLocales) formatsByLocale.clear()
  const formats = createFormats(locale)
  formatsByLocale.set(locale, formats)
  return formats
}

function createFormats(locale: string): MailFormats {
  const dates = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC', calendar: 'gregory' })
  const moments = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC', calendar: 'gregory' })
  const amounts = new Map<string, Intl.NumberFormat>()
  const rates = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 4 })
  return {
    money(amount, currency) {
      const format = amounts.get(currency) ?? createAmountFormat(locale, currency)
      amounts.set(currency, format)
      return format.format(toDecimal(amount, currency))
    },
    date: (time) => dates.format(new Date(time)),
    moment: (time) => `${moments.format(new Date(time))} UTC`,
    percent: (percentage) => rates.format(`${percentage}e-2` as Intl.StringNumericLiteral),
  }
}

/** The digits are those of ISO 4217, not the default of `Intl`. */
function createAmountFormat(locale: string, currency: string): Intl.NumberFormat {
  const digits = currencyDigits(currency)
  return new Intl.NumberFormat(locale, { style: 'currency', currency, minimumFractionDigits: digits, maximumFractionDigits: digits })
}
