import type { DocumentKind } from '../invoices/invoice.ts'

/** What India's Rule 46(b) allows, and no other rule is narrower. */
export const maxNumberLength = 16

/** How the documents of a seller are numbered. */
export interface Numbering {
  invoicePrefix: string
  /** Null: CN- and the prefix of invoices. */
  creditNotePrefix: string | null
  /** Whether numbers begin anew each year. */
  yearly: boolean
  padding: number
}

/** The slug as the series bears it. Empty slugs do not exist, but a number without a prefix must not either. */
export function prefixOf(slug: string, digits: Pick<Numbering, 'yearly' | 'padding'>): string {
  const letters = slug
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, maxNumberLength - longestNumber('', digits))
  return letters.replace(/-$/, '') || 'INV'
}

/** What stands before the figures of a number that is issued in this year. Ends with a hyphen, so no two series share a number. */
export function seriesOf(kind: DocumentKind, numbering: Numbering, year: number): string {
  const prefix = kind === 'invoice' ? numbering.invoicePrefix : (numbering.creditNotePrefix ?? creditNotePrefixOf(numbering))
  return numbering.yearly ? `${prefix}-${year}-` : `${prefix}-`
}

export function formatNumber(series: string, { position, padding }: { position: bigint; padding: number }): string {
  return `${series}${position.toString().padStart(padding, '0')}`
}

/** Characters of a number as long as its padding holds. */
export function longestNumber(prefix: string, { yearly, padding }: Pick<Numbering, 'yearly' | 'padding'>): number {
  return prefix.length + (yearly ? '-2026'.length : 0) + 1 + padding
}

/** As much of the prefix of invoices as leaves a number within sixteen characters. */
function creditNotePrefixOf({ invoicePrefix, yearly, padding }: Numbering): string {
  const room = maxNumberLength - longestNumber('CN-', { yearly, padding })
  const kept = invoicePrefix.slice(0, Math.max(room, 0)).replace(/[-/]$/, '')
  return kept ? `CN-${kept}` : 'CN'
}
