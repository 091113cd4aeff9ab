import { countryNames, type CountryNames } from './address-lines.ts'
import { documentLanguage, type DocumentLanguage } from './document-language.ts'
import { moneyFormat, type MoneyFormat } from './format-money.ts'
import type { DocumentModel } from './document-model.ts'

/** Language of a document with its formats for amounts, dates and rates. */
export interface DocumentLocale extends DocumentLanguage {
  money: MoneyFormat
  country: CountryNames
  date: (date: Date) => string
  /** Formats a calendar date such as `2026-12-31`, which has no time zone. */
  day: (date: string) => string
  period: (period: { start: Date; end: Date }) => string
  /** Formats a percentage as stored, without converting it to a binary fraction. */
  percent: (percentage: number) => string
  figure: (value: number) => string
  /** True if digits are not 0 to 9, as in Egypt. The page count then uses them, too. */
  hasArabicFigures: boolean
}

/** Creating a formatter takes longer than using it, and sellers use few languages and currencies. */
const localizations = new Map<string, DocumentLocale>()
const maxCachedLocales = 50

export function documentLocale({ locale, currency, timeZone = 'UTC' }: DocumentModel): DocumentLocale {
  const key = `${locale} ${currency} ${timeZone}`
  const known = localizations.get(key)
  if (known) return known
  if (localizations.size >= maxCachedLocales) localizations.clear()
  const localization = createDocumentLocale(locale, { currency, timeZone })
  localizations.set(key, localization)
  return localization
}

/** Returns the same language with the time zone of the sale. */
export function saleLocale(document: DocumentModel): DocumentLocale {
  const { timeZone = 'UTC', saleTimeZone = timeZone } = document
  return documentLocale({ ...document, timeZone: saleTimeZone })
}

function createDocumentLocale(requested: string, { currency, timeZone }: { currency: string; timeZone: string }): DocumentLocale {
  const language = documentLanguage(requested)
  const { locale } = language
  // Documents use the Gregorian calendar in every locale.
  const longDates = { dateStyle: 'long', calendar: 'gregory' } as const
  const dates = new Intl.DateTimeFormat(locale, { ...longDates, timeZone })
  const days = new Intl.DateTimeFormat(locale, { ...longDates, timeZone: 'UTC' })
  const rates = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 4 })
  const figures = new Intl.NumberFormat(locale)
  return {
    ...language,
    money: moneyFormat(currency, locale),
    country: countryNames(locale),
    date: (date) => dates.format(date),
    day: (date) => days.format(new Date(`${date}T00:00:00Z`)),
    period: ({ start, end }) => dates.formatRange(start, end),
    percent: (percentage) => rates.format(`${percentage}e-2` as Intl.StringNumericLiteral),
    figure: (value) => figures.format(value),
    hasArabicFigures: figures.resolvedOptions().numberingSystem === 'arab',
  }
}
