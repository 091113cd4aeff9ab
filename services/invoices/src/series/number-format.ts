/** Kind of a document; each has its own series of numbers. */
export type DocumentKind = 'invoice' | 'credit_note'

/** Limit of India's Rule 46(b); no other rule is stricter. */
export const maxNumberLength = 16

/** Number format of a seller's documents. */
export interface Numbering {
  invoicePrefix: string
  /** Null: `CN-` and the prefix of invoices. */
  creditNotePrefix: string | null
  /** Whether numbers restart each year, in the time zone of the seller. */
  yearly: boolean
  timeZone?: string
  padding: number
}

/** Shorter words at the beginning of a slug identify no seller, so the next one is cut instead. */
const minWordsLength = 5

/**
 * Derives the prefix of a series from a slug: as many of its words as fit, or its beginning. An empty slug cannot occur, but a
 * number must never lack a prefix.
 */
export function numberPrefix(slug: string, digits: Pick<Numbering, 'yearly' | 'padding'>): string {
  const words = slug
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
  const available = Math.max(maxNumberLength - formatLongestNumber('', digits), 0)
  const prefix = words.slice(0, available)
  const isCut = words.length > available && words[available] !== '-' && prefix.lastIndexOf('-') >= minWordsLength
  return (isCut ? prefix.slice(0, prefix.lastIndexOf('-')) : prefix).replace(/-$/, '') || 'INV'
}

/** Derived prefixes of credit notes begin with CN, CN2, CN3, …; those of invoices must not. */
export function isReservedForCreditNotes(invoicePrefix: string): boolean {
  return /^CN[0-9]*(?:-|$)/i.test(invoicePrefix)
}

/** Whether two prefixes can name the same series, with or without a year. */
export function canCollide(prefix: string, other: string): boolean {
  const [shorter, longer] = prefix.length < other.length ? [prefix, other] : [other, prefix]
  return longer === shorter || (longer.startsWith(shorter) && /^-[0-9]{4}$/.test(longer.slice(shorter.length)))
}

/** Derives the prefix of invoices from a slug so that no credit note can have it. */
export function deriveInvoicePrefix(slug: string, settings: Pick<Numbering, 'creditNotePrefix' | 'yearly' | 'padding'>): string {
  const candidates = [slug, `inv-${slug}`, 'n'].map((text) => numberPrefix(text, settings))
  const { creditNotePrefix } = settings
  const isFree = (prefix: string) => !isReservedForCreditNotes(prefix) && !(creditNotePrefix && canCollide(prefix, creditNotePrefix))
  return candidates.find(isFree) ?? 'INV'
}

/** Returns the prefix of numbers issued in this year. It ends with a hyphen, so no two series share a number. */
export function seriesName(kind: DocumentKind, numbering: Numbering, year: number): string {
  const prefix = kind === 'invoice' ? numbering.invoicePrefix : (numbering.creditNotePrefix ?? derivePrefix('CN', numbering))
  return numbering.yearly ? `${prefix}-${year}-` : `${prefix}-`
}

/** Returns the series to use if documents of the other kind have taken the first one and those before: `n` is 2 or more. */
export function fallbackSeriesName(kind: DocumentKind, numbering: Numbering, { year, n }: { year: number; n: number }): string {
  const prefix = derivePrefix(`${kind === 'invoice' ? 'INV' : 'CN'}${n}`, numbering)
  return numbering.yearly ? `${prefix}-${year}-` : `${prefix}-`
}

export function formatNumber(series: string, { position, padding }: { position: bigint; padding: number }): string {
  return `${series}${position.toString().padStart(padding, '0')}`
}

/** Returns the length of a number whose digits fill the padding. */
export function formatLongestNumber(prefix: string, { yearly, padding }: Pick<Numbering, 'yearly' | 'padding'>): number {
  return prefix.length + (yearly ? '-2026'.length : 0) + 1 + padding
}

/** Returns a prefix that begins with `start`, and as much of the invoice prefix as keeps a number within sixteen characters. */
function derivePrefix(start: string, { invoicePrefix, yearly, padding }: Numbering): string {
  const available = maxNumberLength - formatLongestNumber(`${start}-`, { yearly, padding })
  const truncated = invoicePrefix.slice(0, Math.max(available, 0)).replace(/[-/]$/, '')
  return truncated ? `${start}-${truncated}` : start
}
