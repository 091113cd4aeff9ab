import { createHash } from 'node:crypto'
import { isStorableTime } from '@quittance/contracts/identifiers'
import { currencyDigits } from '@quittance/contracts/money'
import { findAll, findText, readXml, UnreadableXml, type XmlElement } from './read-xml.ts'

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
}

/** Booked credits of one bank account. */
export interface Statement {
  iban: string
  credits: StatementCredit[]
}

const namespace = /^urn:iso:std:iso:20022:tech:xsd:camt\.053\.001\.(02|08)$/

/**
 * Reads a bank statement: CAMT.053 of ISO 20022, version 02 or 08. Debits, what is not booked yet, and bookings of 0, with which banks close an
 * account for a period, are left out.
 *
 * @throws UnreadableXml if it is anything else.
 */
export function parseCamt(document: string): Statement[] {
  const root = readXml(document)
  if (root.name !== 'Document' || !namespace.test(root.namespace)) throw new UnreadableXml('It is not CAMT.053, version 02 or 08.')
  const statements = findAll(root, 'BkToCstmrStmt/Stmt')
  if (statements.length === 0) throw new UnreadableXml('It has no statement.')
  return statements.map((statement) => ({
    iban: (findText(statement, 'Acct/Id/IBAN') ?? '').replace(/\s/g, '').toUpperCase(),
    credits: findAll(statement, 'Ntry')
      .flatMap(parseEntry)
      .filter(({ amount }) => amount > 0n),
  }))
}

function parseEntry(entry: XmlElement): StatementCredit[] {
  if (findText(entry, 'Sts/Cd', 'Sts') !== 'BOOK') return []
  // Both are a true boolean of XML.
  const isReversal = ['true', '1'].includes(findText(entry, 'RvslInd') ?? '')
  if (findText(entry, 'CdtDbtInd') !== 'CRDT' && !isReversal) return []
  const total = parseAmount(findAll(entry, 'Amt')[0])
  const bookedOn = parseDate(findText(entry, 'BookgDt/Dt', 'BookgDt/DtTm', 'ValDt/Dt', 'ValDt/DtTm'))
  const of = { ...readEntry(entry), bookedOn, isReversal }
  const parts = findAll(entry, 'NtryDtls/TxDtls')
  const amounts = parts.map((part) => findAll(part, 'Amt')[0] ?? findAll(part, 'AmtDtls/TxAmt/Amt')[0])
  if (parts.length > 1 && amounts.every((amount) => amount !== undefined)) {
    const parsed = amounts.map(parseAmount)
    const sum = parsed.reduce((before, { amount }) => before + amount, 0n)
    // A collective booking is only divided if its parts are the whole.
    if (sum === total.amount && parsed.every(({ currency }) => currency === total.currency))
      return parts.map((part, index) => toCredit({ ...of, part, ...(parsed[index] as Amount) }))
  }
  return [toCredit({ ...of, part: parts.length === 1 ? parts[0] : undefined, ...total })]
}

interface EntryTexts {
  entryReference: string | null
  entryText: string
}

/** Returns what all parts of a booking have in common, once for all of them. */
function readEntry(entry: XmlElement): EntryTexts {
  return { entryReference: findText(entry, 'AcctSvcrRef'), entryText: joinTexts(findAll(entry, 'AddtlNtryInf')) }
}

interface Part extends Amount, EntryTexts {
  part: XmlElement | undefined
  bookedOn: string
  isReversal: boolean
}

function toCredit({ entryReference, entryText, part, bookedOn, isReversal, amount, currency }: Part): StatementCredit {
  const remittance = findAll(part, 'RmtInf')[0]
  const written = [...findAll(remittance, 'Strd/CdtrRefInf/Ref'), ...findAll(remittance, 'Ustrd'), ...findAll(part, 'Refs/EndToEndId')]
  const text = cut([joinTexts(written), entryText].filter(Boolean).join(' '), maxText) || null
  const payer = findText(part, 'RltdPties/Dbtr/Nm', 'RltdPties/Dbtr/Pty/Nm')
  const payerName = payer && cut(payer, 140)
  const reference = findText(part, 'Refs/AcctSvcrRef') ?? entryReference
  const hasReference = reference !== null && reference !== 'NONREF'
  const name = hasReference ? toAscii(reference).slice(0, 100) : digest([bookedOn, String(amount), currency, payerName, text])
  return { bankReference: `${bookedOn}/${name}`, hasReference, amount, currency, bookedOn, text, payerName, isReversal }
}

const maxText = 1_000

/** More than the end of what is stored is not needed. */
const joinTexts = (elements: readonly XmlElement[]) =>
  elements
    .map(({ text }) => text)
    .filter((text) => text && text !== 'NOTPROVIDED')
    .join(' ')
    .slice(0, maxText)

/** Half of a character outside of the basic plane cannot be stored. */
const cut = (text: string, length: number) => text.slice(0, length).replace(/[\ud800-\udbff]$/, '')

const toAscii = (text: string) => text.replace(/[^\x21-\x7e]/g, '_')

/**
 * Form of `bankReference` of a credit to which the bank gave none: its day, a digest, and the number of one more. For JavaScript and SQL.
 */
export const digestedReference = String.raw`^(\d{4}-\d{2}-\d{2})/[0-9a-f]{24}(/\d+)?$`

function digest(values: readonly (string | null)[]): string {
  return createHash('sha256').update(JSON.stringify(values)).digest('hex').slice(0, 24)
}

interface Amount {
  amount: bigint
  currency: string
}

function parseAmount(element: XmlElement | undefined): Amount {
  const currency = element?.attributes['Ccy'] ?? ''
  const [, whole, fraction = ''] = /^(\d{1,12})(?:\.(\d{1,5}))?$/.exec(element?.text ?? '') ?? []
  if (whole === undefined || !/^[A-Z]{3}$/.test(currency)) throw new UnreadableXml('An amount is not valid.')
  const digits = currencyDigits(currency)
  const [minor, rest] = [fraction.slice(0, digits).padEnd(digits, '0'), fraction.slice(digits)]
  const amount = BigInt(whole + minor)
  if (/[1-9]/.test(rest)) throw new UnreadableXml('An amount is not valid.')
  return { amount, currency: currency.toLowerCase() }
}

function parseDate(text: string | null): string {
  const date = text?.slice(0, 10) ?? ''
  const time = `${date}T00:00:00Z`
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date) || !isStorableTime(time) || new Date(time).toISOString().slice(0, 10) !== date)
    throw new UnreadableXml('A booking date is not valid.')
  return date
}
