import { createHash } from 'node:crypto'
import { findAll, findText, type XmlElement } from './read-xml.ts'

/** A booked credit of a statement. */
export interface StatementCredit {
  /** Date and reference of the bank. Banks give several credits of a day the same one. */
  bankReference: string
  /** Whether the bank gave the reference. Otherwise it is a digest of the credit as this document has it. */
  hasReference: boolean
  amount: bigint
  currency: string
  /** ISO 8601 date. */
  bookedOn: string
  /** What the payer wrote, structured and unstructured. */
  text: string | null
  payerName: string | null
  /** The bank took a booking back. */
  isReversal: boolean
  /** Several credits without their amounts. A person divides it, whatever it names. */
  isUndivided: boolean
  /** The booking of which it is a part, as documents without details have it; null if it is all of it, or the bank gave no reference. */
  booking: NamedBooking | null
}

/** Minor units of a currency. */
export interface Amount {
  amount: bigint
  currency: string
}

/** A booking to which the bank gave a reference. Its parts have the same object. */
export interface NamedBooking extends Amount {
  bankReference: string
}

/** What all parts of a booking have in common. */
interface Booking extends Amount {
  named: NamedBooking | null
  reference: string | null
  text: string
  bookedOn: string
  isReversal: boolean
}

/** Reads what the parts of a booking have in common, once for all of them. */
export function readBooking(entry: XmlElement, values: Omit<Booking, 'named' | 'reference' | 'text'>): Booking {
  const { amount, currency, bookedOn } = values
  const reference = findText(entry, 'AcctSvcrRef')
  const bankReference = formatReference(bookedOn, reference)
  const named = bankReference === null ? null : { bankReference, amount, currency }
  return { ...values, named, reference, text: joinTexts(findAll(entry, 'AddtlNtryInf')) }
}

/** Reads a credit from its details, if the booking has them; its amount is all of the booking unless it is a part. */
export function readCredit(booking: Booking, parts: readonly XmlElement[], { amount, currency }: Amount = booking): StatementCredit {
  const { bookedOn, isReversal } = booking
  const text = cutText([joinTexts(parts.flatMap(listTexts)), booking.text].filter(Boolean).join(' '), maxText) || null
  const payerName = joinPayers(parts.map((part) => findText(part, 'RltdPties/Dbtr/Nm', 'RltdPties/Dbtr/Pty/Nm')))
  const [only, ...others] = parts
  const isUndivided = others.length > 0
  const reference = (isUndivided ? null : findText(only, 'Refs/AcctSvcrRef')) ?? booking.reference
  const own = formatReference(bookedOn, reference)
  const isPart = amount !== booking.amount || reference !== booking.reference
  return {
    bankReference: own ?? `${bookedOn}/${digest([bookedOn, String(amount), currency, payerName, text])}`,
    hasReference: own !== null,
    amount,
    currency,
    bookedOn,
    text,
    payerName,
    isReversal,
    isUndivided,
    booking: isPart ? booking.named : null,
  }
}

/** Returns the payers of an undivided booking in one text; null if it has none. */
export function joinPayers(payers: readonly (string | null)[]): string | null {
  return cutText([...new Set(payers.filter(Boolean))].join(', '), 140) || null
}

/** Returns everything of a part that the payer or a bank may have written. */
function listTexts(part: XmlElement): XmlElement[] {
  const paths = ['RmtInf/Strd/CdtrRefInf/Ref', 'RmtInf/Ustrd', 'Refs/EndToEndId', 'RmtInf/Strd/AddtlRmtInf', 'AddtlTxInf']
  return paths.flatMap((path) => findAll(part, path))
}

/** Returns the reference with its day; null if the bank gave none. */
const formatReference = (bookedOn: string, reference: string | null) =>
  reference === null || reference === 'NONREF' ? null : `${bookedOn}/${toAscii(reference).slice(0, 100)}`

const maxText = 1_000

/** More than the end of what is stored is not needed. */
const joinTexts = (elements: readonly XmlElement[]) =>
  elements
    .map(({ text }) => text)
    .filter((text) => text && text !== 'NOTPROVIDED')
    .join(' ')
    .slice(0, maxText)

/** Half of a character outside of the basic plane cannot be stored. */
export const cutText = (text: string, length: number) => text.slice(0, length).replace(/[\ud800-\udbff]$/, '')

const toAscii = (text: string) => text.replace(/[^\x21-\x7e]/g, '_')

/**
 * Form of `bankReference` of a credit to which the bank gave none: its day, a digest, and the number of one more. For JavaScript and SQL.
 */
export const digestedReference = String.raw`^(\d{4}-\d{2}-\d{2})/[0-9a-f]{24}(/\d+)?$`

function digest(values: readonly (string | null)[]): string {
  return createHash('sha256').update(JSON.stringify(values)).digest('hex').slice(0, 24)
}
