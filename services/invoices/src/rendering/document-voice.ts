import { documentLanguage, type DocumentLanguage } from './document-language.ts'
import { moneyFormat, type MoneyFormat } from './format-money.ts'
import type { PrintedDocument } from './printed-document.ts'

/** A document's language with the ways it writes amounts, dates and rates. */
export interface DocumentVoice extends DocumentLanguage {
  money: MoneyFormat
  date: (date: Date) => string
  period: (period: { start: Date; end: Date }) => string
  /** From percent, as a rate is kept; never a fraction of a float. */
  percent: (percentage: number) => string
  figure: (value: number) => string
  /** True where figures are not 0 to 9, as in Egypt; then those of the page count are not either. */
  hasArabicFigures: boolean
}

/** What formats an amount or a date takes longer to make than to use, and sellers print in few languages and currencies. */
const voices = new Map<string, DocumentVoice>()
const mostVoices = 50

export function documentVoice({ locale, currency }: PrintedDocument): DocumentVoice {
  const key = `${locale} ${currency}`
  const known = voices.get(key)
  if (known) return known
  if (voices.size >= mostVoices) voices.clear()
  const voice = newVoice(locale, currency)
  voices.set(key, voice)
  return voice
}

function newVoice(asked: string, currency: string): DocumentVoice {
  const language = documentLanguage(asked)
  const { locale } = language
  // Documents are dated by one calendar, wherever they are read.
  const dates = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC', calendar: 'gregory' })
  const rates = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 4 })
  const figures = new Intl.NumberFormat(locale)
  return {
    ...language,
    money: moneyFormat(currency, locale),
    date: (date) => dates.format(date),
    period: ({ start, end }) => dates.formatRange(start, end),
    percent: (percentage) => rates.format(`${percentage}e-2` as Intl.StringNumericLiteral),
    figure: (value) => figures.format(value),
    hasArabicFigures: figures.resolvedOptions().numberingSystem === 'arab',
  }
}
