import { html, type Html } from '@quittance/pages/html'

const day = 24 * 3_600_000
const units: [milliseconds: number, unit: Intl.RelativeTimeFormatUnit][] = [
  [day, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
]
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const date = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
const full = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })

/**
 * Formats a time independently of the time zone, which the server does not know: "5 minutes ago", and the date after a month. The exact
 * time is in the title; `local-time-script.ts` formats it in the reader's time zone.
 */
export function relativeTime(timestamp: string, now: number): Html {
  const age = now - Date.parse(timestamp)
  return timeElement(timestamp, age > 30 * day ? date.format(new Date(timestamp)) : inWords(age))
}

/** Formats the date only. */
export function formatDate(timestamp: string): Html {
  return timeElement(timestamp, date.format(new Date(timestamp)))
}

/** The same text without markup, for accessible names. */
export function formatRelativeTime(timestamp: string, now: number): string {
  return inWords(now - Date.parse(timestamp))
}

function inWords(age: number): string {
  const [milliseconds, unit] = units.find(([milliseconds]) => age >= milliseconds) ?? []
  return milliseconds && unit ? relative.format(-Math.floor(age / milliseconds), unit) : 'just now'
}

function timeElement(timestamp: string, words: string): Html {
  const moment = new Date(timestamp)
  return html`<time datetime="${moment.toISOString()}" title="${full.format(moment)} UTC">${words}</time>`
}
