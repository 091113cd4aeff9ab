import { countries } from '@quittance/contracts/countries'
import type { Invoice } from '@e-invoice-eu/core'
import { withoutDirectionControls } from '@quittance/contracts/printed-text'

export type CurrencyCode = Invoice['ubl:Invoice']['cbc:DocumentCurrencyCode']

/** EN 16931 limits every amount of a document to two decimal places. */
export const maxFractionDigits = 2

/** Returns the country code of the EN 16931 list (BT-40, BT-55), or null if the list does not contain it. Kosovo (`XK` elsewhere) is `1A` there. */
export function en16931CountryCode(country: string): string | null {
  if (country === 'XK') return '1A'
  return countries.has(country) ? country : null
}

/**
 * Replaces characters that XML 1.0 cannot represent even when escaped, most control characters and lone surrogates, and removes those that
 * change the writing direction, as on the pages.
 */
export function xmlText(text: string): string {
  return withoutDirectionControls(text).replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\u{FFFD}')
}

/** Returns a copy with every string mapped. */
export function mapText<T>(model: T, change: (text: string) => string): T {
  return JSON.parse(JSON.stringify(model, (_key, value: unknown) => (typeof value === 'string' ? change(value) : value))) as T
}
