import { html, type Html } from './html.ts'

const dates = new Map<string, Intl.DateTimeFormat>()

/** Formats the date of a timestamp, in UTC. */
export function formatDate(timestamp: string, locale: string): string {
  return format(timestamp, { key: `date ${locale}`, locale, options: { dateStyle: 'long' } })
}

/** Renders the date of a timestamp; a script shows it in the zone of the reader. */
export function dateElement(timestamp: string, locale: string): Html {
  return html`<time datetime="${timestamp}" data-date>${formatDate(timestamp, locale)}</time>`
}

/** Renders a sentence with the date of a timestamp, as `dateElement` does. */
export function dateSentence(write: (date: string) => string, timestamp: string, locale: string): Html {
  const [before, ...others] = write('\0').split('\0')
  return html`${before}${others.map((after) => html`${dateElement(timestamp, locale)}${after}`)}`
}

/** Renders the moment of a timestamp with its zone; a script shows it in the zone of the reader. */
export function momentElement(timestamp: string, locale: string): Html {
  const options = { dateStyle: 'long', timeStyle: 'short' } as const
  return html`<time datetime="${timestamp}" data-moment>${format(timestamp, { key: `moment ${locale}`, locale, options })} UTC</time>`
}

interface DateFormat {
  key: string
  locale: string
  options: Intl.DateTimeFormatOptions
}

function format(timestamp: string, { key, locale, options }: DateFormat): string {
  let known = dates.get(key)
  if (!known) {
    known = new Intl.DateTimeFormat(locale, { ...options, numberingSystem: 'latn', timeZone: 'UTC' })
    dates.set(key, known)
  }
  return known.format(new Date(timestamp))
}

/** Formats a time of day in UTC, which it names. */
export function formatTime(moment: Date, locale: string): string {
  return new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', timeZone: 'UTC', timeZoneName: 'short' }).format(moment)
}
